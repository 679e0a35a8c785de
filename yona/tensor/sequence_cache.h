// The KV cache of text generation: sequences of different lengths that join and leave between
// steps. A sequence has a segment of rows of every layer's keys and values; in a step it brings one
// token, or many (its prompt, in one pass).
//
//   SequenceCache cache(region, 4096);             // rows of each layer, for all sequences
//   const auto first = cache.allocate(300);        // nothing where no segment is free
//   cache.begin_step({{{.first = *first, .cached = 0, .fresh = 128}}});
//   model.decode({ids, cache.layout()}, memory, c);      // with c.cache = &cache
//   cache.begin_step({{{.first = *first, .cached = 128, .fresh = 1}}});
//   …
//   cache.release(*first);
//
// Attention of the steps with one token is one kernel call for all rows; prompts that begin are one
// call of the ordinary attention kernel, and each that goes on is a call over its segment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "yona/tensor/layer_cache.h"
#include "yona/tensor/ragged.h"

namespace yona {

// What a sequence brings to a step.
struct SequencePart {
  std::int64_t first = 0;   // row of its first token in the cache
  std::int64_t cached = 0;  // tokens whose keys and values are there
  std::int64_t fresh = 1;   // tokens of this step, which follow them
};

// The rows of a step with one token each, in the device's memory: see GenerateRows.
struct SequenceRows {
  Tensor counts, places;  // i32 [rows]
  Tensor first;           // i64 [rows]: row of the cache of each sequence's first token
  Tensor positions;       // i32 [rows]
};

class SequenceCache : public LayerCache {
 public:
  // Memory comes from the region, layer by layer as the first step asks for it.
  SequenceCache(Region& region, std::int64_t rows) : region_(region), rows_(rows) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t free_rows() const { return rows_ - used_; }
  // Other rows, all of them free. What was cached is lost, and its memory given back.
  void reset(std::int64_t rows);
  // The first row of a free segment with that many rows.
  std::optional<std::int64_t> allocate(std::int64_t rows);
  void release(std::int64_t first);

  // The tokens of the next pass, in this order. Sequences with one token come first where
  // possible: the others cost a kernel call each.
  void begin_step(std::span<const SequencePart> parts);
  // The same of rows that kernels keep, with one token each: nothing is uploaded, and the step can
  // be replayed. Every layer's memory must be there: a step has been made.
  void begin_step(const SequenceRows& rows);
  // Lets go of a step's tensors, such as those of SequenceRows. The next step needs begin_step().
  void end_step();
  // Of the tokens of this step: a sentence for each part, with its positions.
  const std::shared_ptr<const Layout>& layout() const { return layout_; }

  // The keys and values of `rows` tokens from one segment to another, in every layer.
  void copy(std::int64_t from, std::int64_t to, std::int64_t rows, Context& c);

  CachedKeys append(const Tensor& keys_and_values, Context& c) override;
  // A decoder alone has none: throws.
  CachedKeys memory(const Layout& layout, const std::function<Tensor()>& make, Context& c) override;

 private:
  void lay_out(std::span<const SequencePart> parts);
  void add_block(const SequencePart& part, std::int64_t row);
  void add_whole_block(std::span<const SequencePart> parts, std::int64_t row);

  Region& region_;
  std::int64_t rows_;
  std::int64_t used_ = 0;
  std::map<std::int64_t, std::int64_t> segments_;  // first → rows
  std::vector<Tensor> layers_;
  std::size_t next_ = 0;
  std::int64_t tokens_ = 0;  // of this step
  std::shared_ptr<const Layout> layout_;
  Tensor counts_, first_, places_;  // of the sequences with one token
  std::vector<QueryBlock> blocks_;  // of the others
  Tensor block_places_;             // of their tokens: i32
};

}  // namespace yona
