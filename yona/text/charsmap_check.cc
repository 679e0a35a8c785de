// The format: four bytes with the size of a trie, the trie, and the texts that its values point at,
// each ended by NUL. The trie is a double array (Darts-clone): from the unit at place p the bytes c
// of a key lead to the unit at p ^ offset ^ c, and a value, where there is one, is at p ^ offset.

#include "yona/text/charsmap_check.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "yona/base/error.h"

namespace yona {

namespace {

static_assert(std::endian::native == std::endian::little, "the trie is read as it is");

// One unit of the double array.
struct TrieUnit {
  std::uint32_t bits;

  bool is_value() const { return (bits >> 31U) != 0; }  // no key leads on from here
  bool has_value() const { return ((bits >> 8U) & 1U) != 0; }
  std::uint32_t value() const { return bits & 0x7FFF'FFFFU; }
  std::uint32_t offset() const { return (bits >> 10U) << ((bits & (1U << 9U)) >> 6U); }
};

}  // namespace

void check_charsmap(std::string_view precompiled, std::string_view name) {
  constexpr std::uint32_t kBytes = 256;  // that can lead on from a unit
  const auto require = [&](bool condition) {
    check<FormatError>(condition, "{}: precompiled_charsmap is damaged", name);
  };
  std::uint32_t trie_bytes = 0;
  require(precompiled.size() > sizeof trie_bytes);
  std::memcpy(&trie_bytes, precompiled.data(), sizeof trie_bytes);
  precompiled.remove_prefix(sizeof trie_bytes);
  require(trie_bytes > 0 && trie_bytes % (kBytes * sizeof(TrieUnit)) == 0 &&
          trie_bytes < precompiled.size());
  std::vector<TrieUnit> units(trie_bytes / sizeof(TrieUnit));
  std::memcpy(units.data(), precompiled.data(), trie_bytes);
  const std::string_view texts = precompiled.substr(trie_bytes);
  require(texts.back() == '\0');
  for (std::uint32_t place = 0; place < units.size(); ++place) {
    const TrieUnit unit = units[place];
    if (place > 0 && unit.is_value()) {
      continue;
    }
    const std::uint32_t next = place ^ unit.offset();
    require((next | (kBytes - 1)) < units.size());
    require(!unit.has_value() || units[next].value() < texts.size());
  }
}

}  // namespace yona
