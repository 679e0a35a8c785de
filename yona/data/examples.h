// What a run learns from: examples with a number each, 0 … count() - 1, part after part.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yona/data/batch.h"

namespace yona {

// Immutable once made; every call is thread-safe.
class Examples {
 public:
  struct Part {  // a corpus
    std::string name;
    double weight = 1;  // how often an epoch sees it: see batches.h
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::string digest{};  // equal for equal content
  };
  using Lengths = std::array<std::int64_t, kMostSides>;  // in rows; 0 for a side that is not there
  // Which draw of what is random a batch holds: sub-words, masks, crops.
  struct Draw {
    std::uint64_t seed = 0;
    std::int64_t epoch = 0;
  };

  Examples() = default;
  virtual ~Examples() = default;
  Examples(const Examples&) = delete;
  Examples& operator=(const Examples&) = delete;

  const std::vector<Part>& parts() const { return parts_; }
  std::uint64_t count() const {
    return parts_.empty() ? 0 : parts_.back().first + parts_.back().count;
  }
  // Which part an example belongs to, as an index.
  std::size_t part_of(std::uint64_t example) const;

  // Lengths that batches are planned with.
  virtual Lengths lengths(std::uint64_t example) const = 0;

  // Replaces the content of `batch` by these examples (epoch and index excepted). No side gets more
  // than `batch_tokens` rows, unless it has one example alone.
  virtual void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens,
                    const Draw& draw, Batch& batch) const = 0;

 protected:
  Examples(Examples&&) = default;
  Examples& operator=(Examples&&) = default;
  // Appends a part with that many examples. Throws InvalidArgument for 2^32 examples or more.
  void add_part(std::string name, double weight, std::uint64_t count, std::string digest);

 private:
  std::vector<Part> parts_;
};

}  // namespace yona
