// What a decoder remembers from step to step, so that a step costs one token: the keys and values
// of every self-attention, and those of the memory, once for each sentence.
//
// Self-attention's are laid out [layer][step][row]. Beams are never copied: which row of each step
// a row descends from is kept in a table of ancestors, and attention looks its keys up by it. Rows
// may end, split and leave between steps as they like.
//
//   AttentionCache cache(region, {.rows = 8, .steps = 60});
//   Context c{.region = region, .cache = &cache};
//   cache.begin_step({}, sentences);           // the first step: two sentences, one row each
//   decoder(tokens, memory, c);
//   cache.begin_step({0, 0, 1}, {0, 0, 1});    // row 0 has split in two
//   decoder(tokens, memory, c);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yona/tensor/layer_cache.h"

namespace yona {

struct CacheSize {
  std::int64_t rows = 0;  // most in any step
  std::int64_t steps = 0;
};

class AttentionCache : public LayerCache {
 public:
  // Memory comes from the region, layer by layer as the first step asks for it; pages are touched
  // as rows are written.
  AttentionCache(Region& region, const CacheSize& size) : region_(region), size_(size) {}

  // Row r goes on from row parents[r] of the step before (in the first step from nothing: parents
  // is not read) and reads the memory of sentence sentences[r].
  void begin_step(std::span<const std::int32_t> parents, std::span<const std::int32_t> sentences);

  std::int64_t step() const { return step_; }  // from 0; -1 before the first

  CachedKeys append(const Tensor& keys_and_values, Context& c) override;
  CachedKeys memory(const Layout& layout, const std::function<Tensor()>& make, Context& c) override;
  Tensor state(const std::function<Tensor()>& make, Context& c) override;
  void keep(const Tensor& state) override;

 private:
  void move_ancestors(std::span<const std::int32_t> parents);
  void find_memory_rows(const Layout& layout);

  Region& region_;
  CacheSize size_;
  std::int64_t step_ = -1;
  std::int64_t rows_ = 0;
  std::vector<Tensor> self_, cross_;  // one for each layer
  std::vector<Tensor> states_;        // one for each recurrent layer, of the step before
  std::size_t next_self_ = 0, next_cross_ = 0, next_state_ = 0, next_kept_ = 0;
  Tensor origins_;  // i32 [rows]: the rows of states_ that this step's rows go on from
  std::vector<std::int32_t> ancestors_, moved_;  // [rows, step + 1]: rows of the cache
  std::vector<std::int32_t> sentences_;
  std::vector<std::int64_t> memory_offsets_;
  Tensor table_, table_counts_;  // of this step, on the device
  Tensor memory_first_, memory_counts_;
};

}  // namespace yona
