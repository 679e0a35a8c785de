// Someone who looks inside. While a Context has one, every attention forms its weights in full and
// hands them over; without one they are never formed.
#pragma once

#include <cstdint>
#include <string_view>

#include "yona/tensor/ragged.h"

namespace yona {

struct AttentionRecord {
  std::string_view module;  // path of the attention: decoder.layers.0.cross_attention
  std::int64_t heads = 0;
  const Layout& queries;
  const Layout& keys;
  Tensor weights;  // sentences one after another, each [heads, queries, keys]
};

class AttentionRecorder {
 public:
  virtual ~AttentionRecorder() = default;
  // Called in the order of computation. The record is valid during the call; its tensor as long as
  // its region is not reset.
  virtual void record(const AttentionRecord& record) = 0;
};

}  // namespace yona
