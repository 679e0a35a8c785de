// The attention of one pair of sentences for Python: arrays, and the pictures that inspect/ draws.
#pragma once

#include "yona/inspect/attention.h"
#include "yona/inspect/heat_map.h"

#include "values.h"

namespace yona::python {

class Attention {
 public:
  explicit Attention(AttentionMaps maps) : maps_(std::move(maps)) {}

  const AttentionMaps& maps() const { return maps_; }
  // [layers, heads, queries, keys] of a part, f32. The memory is gathered once and handed to NumPy
  // as it is: every call gives the same.
  py::array_t<float> weights(AttentionPart part);
  // Layers and heads from 0, negative ones from the end, as in an array; no head: all of them.
  std::string svg(AttentionPart part, std::optional<std::int64_t> layer,
                  std::optional<std::int64_t> head, bool mean, bool lines) const;

 private:
  AttentionMaps maps_;
  std::array<py::object, kAttentionParts.size()> arrays_;
};

}  // namespace yona::python
