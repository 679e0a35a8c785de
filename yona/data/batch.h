// A batch as it leaves the data folder: the rows of many examples, one after another, and where
// each example ends. No padding exists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yona {

// One side of all examples of a batch: ids (tokens, labels), or rows of `width` numbers (patches of
// a picture). Example i has the rows offsets[i] … offsets[i + 1] - 1.
struct Side {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;  // examples + 1, first 0
  std::vector<float> values{};        // instead of ids
  std::vector<std::uint8_t> bytes{};  // instead of values: numbers before they are normalised
  std::int64_t width = 0;             // of a row of values or bytes; 0: ids

  std::int64_t examples() const {
    return offsets.empty() ? 0 : static_cast<std::int64_t>(offsets.size()) - 1;
  }
  std::int64_t rows() const {
    return width > 0 ? static_cast<std::int64_t>(values.size() + bytes.size()) / width
                     : static_cast<std::int64_t>(ids.size());
  }
  std::int64_t rows_of(std::size_t example) const {
    return offsets[example + 1] - offsets[example];
  }
  void clear() {  // keeps the storage
    ids.clear();
    values.clear();
    bytes.clear();
    offsets.assign(1, 0);
  }
  void end_example() { offsets.push_back(rows()); }
};

inline constexpr std::size_t kMostSides = 4;

// What each side is, the task says. Sides that it does not use are empty. Everything is per example
// and in the same order.
struct Batch {
  std::array<Side, kMostSides> sides{};
  std::vector<std::uint64_t> example_ids;  // see example_id(); the same in every batch and epoch
  std::vector<float> weights;              // 1 unless the corpus gives another
  std::int64_t epoch = 0;
  std::int64_t index = 0;  // of the batch in its epoch

  std::int64_t examples() const { return static_cast<std::int64_t>(example_ids.size()); }
  void clear() {
    for (Side& side : sides) {
      side.clear();
    }
    example_ids.clear();
    weights.clear();
  }
};

// The sides of a pair of sentences. Neither is ever empty: </s> is there, mostly at the end.
inline constexpr std::size_t kSource = 0;
inline constexpr std::size_t kTarget = 1;

// Names an example for good: which corpus of the run, and which line of it (from 0).
constexpr std::uint64_t example_id(std::uint64_t corpus, std::uint64_t line) {
  return (corpus << 48U) | line;
}
constexpr std::uint64_t corpus_of(std::uint64_t example) { return example >> 48U; }
constexpr std::uint64_t line_of(std::uint64_t example) {
  return example & ((std::uint64_t{1} << 48U) - 1);
}

}  // namespace yona
