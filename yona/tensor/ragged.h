// Ragged: a batch as the model sees it: the tokens of all sentences, one after another, and where
// each sentence begins. There is no padding, so there is no padding mask.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "yona/backend/length_classes.h"
#include "yona/tensor/tensor.h"

namespace yona {

// The geometry of one side of a batch, shared by every layer that works on it.
struct Layout {
  std::int64_t sentences = 0;
  std::int64_t tokens = 0;
  std::int64_t longest = 0;
  LengthClasses lengths = kAnyLengths;
  Tensor offsets;    // i64 [sentences + 1]
  Tensor positions;  // i32 [tokens]: place in the sentence, from 0
  Tensor row_keys;   // i64 [tokens]: logical identity for dropout: sentence id and position

  const std::int64_t* offsets_data() const { return offsets.data<std::int64_t>(); }
  const std::int32_t* positions_data() const { return positions.data<std::int32_t>(); }
  const std::uint64_t* row_keys_data() const {
    return reinterpret_cast<const std::uint64_t*>(row_keys.data<std::int64_t>());
  }
};

// offsets: sentences + 1 numbers from 0; sentence_ids: one per sentence, stable over batches (or
// empty: the sentence's place in the batch).
std::shared_ptr<const Layout> make_layout(std::span<const std::int64_t> offsets,
                                          std::span<const std::uint64_t> sentence_ids,
                                          Region& region);

// One new token in each row, all at the same position: a step of incremental decoding.
std::shared_ptr<const Layout> make_step_layout(std::int64_t rows, std::int64_t position,
                                               Region& region);

// The same with positions i32 [rows] that are on the device.
std::shared_ptr<const Layout> make_step_layout(const Tensor& positions);

// Sentences that go on: `fresh` new tokens of each, at the positions after `cached` earlier ones.
// For a pass with a cache: there are no offsets and no keys for dropout.
std::shared_ptr<const Layout> make_continued_layout(std::span<const std::int64_t> fresh,
                                                    std::span<const std::int64_t> cached,
                                                    Region& region);

struct Ragged {
  Tensor values;  // [tokens, d]
  std::shared_ptr<const Layout> layout;

  std::int64_t tokens() const { return layout->tokens; }
  // The same sentences with other values.
  Ragged with(Tensor other) const { return {std::move(other), layout}; }
};

}  // namespace yona
