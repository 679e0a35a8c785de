// Segments of the cache whose answers are finished, kept for requests that begin with the same
// tokens: a conversation that continues, or a common introduction.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

namespace yona {

// Tokens whose keys and values lie in the cache from row `first` on.
struct CachedPrefix {
  std::int64_t first = 0;
  std::span<const std::int32_t> tokens{};
};

// How many tokens the two have in common at the front.
std::int64_t common_prefix(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

class KeptPrefixes {
 public:
  void keep(std::int64_t first, std::vector<std::int32_t> tokens);
  // Takes the oldest out: its first row, for its memory.
  std::optional<std::int64_t> drop_oldest();
  // The one with the longest common prefix; none where nothing is in common. It is then the newest.
  std::optional<CachedPrefix> find(std::span<const std::int32_t> tokens);
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::int64_t first;
    std::vector<std::int32_t> tokens;
  };
  std::list<Kept> kept_;  // oldest first
};

}  // namespace yona
