// The cache of a decoder whose searches run on the device: keys and values as AttentionCache has
// them, but which rows a row goes on from is kept in the device's memory, by kernels. Steps after
// the first are the same calls with the same arguments, so that they can be replayed.
//
// Its memory is taken once and used for batch after batch.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/tensor/layer_cache.h"

namespace yona {

// Of the rows of a step; see BeamRows.
struct ResidentTables {
  Tensor counts, places;               // i32 [rows]
  Tensor table;                        // i32 [rows, most]
  Tensor memory_first, memory_counts;  // i64, i32 [rows]
};

class ResidentCache : public LayerCache {
 public:
  // The capacity, in rows of all steps together and in tokens of memory, of every layer.
  ResidentCache(Region& region, std::int64_t rows, std::int64_t memory_tokens)
      : region_(region), rows_(rows), memory_tokens_(memory_tokens) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t memory_tokens() const { return memory_tokens_; }

  // The next step is the first of a batch: it asks for the memory's keys and values, and keeps
  // them.
  void begin_batch() { fresh_memory_ = true; }
  void begin_step(const ResidentTables& tables);
  void end_step() { fresh_memory_ = false; }

  CachedKeys append(const Tensor& keys_and_values, Context& c) override;
  CachedKeys memory(const Layout& layout, const std::function<Tensor()>& make, Context& c) override;

 private:
  Region& region_;
  std::int64_t rows_, memory_tokens_;
  bool fresh_memory_ = true;
  ResidentTables tables_;
  std::vector<Tensor> self_, cross_;  // one for each layer
  std::size_t next_self_ = 0, next_cross_ = 0;
};

}  // namespace yona
