// The loss of tasks with one label for each example: cross-entropy of a classifier over the
// example's vector, whatever model made it, and R-Drop of two passes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "yona/data/batch.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/context.h"

namespace yona {

// The sum of the examples' weights.
double weight_of_examples(const Batch& batch);

// The factor of each example's loss. Keeps its memory between steps.
class ExampleScale {
 public:
  // f32 [S]: the example's weight as a share of the update's, divided among the passes.
  Tensor of(const Batch& batch, double update_weight, std::size_t passes, Region& region);

 private:
  std::vector<float> values_;
};

struct LabelLoss {
  double smoothing = 0.0;
  double rdrop = 0.0;  // alpha, where there are two contexts
};

// `vectors` gives those of the examples, [S, d], in a context. With a second context R-Drop is
// added. Returns [passes · S, 2].
Tensor label_losses(const std::function<Tensor(Context&)>& vectors, const OutputLayer& classifier,
                    const std::vector<std::int32_t>& labels, const Tensor& row_scale,
                    const LabelLoss& loss, std::span<Context> contexts);

}  // namespace yona
