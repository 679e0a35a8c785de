#include "yona/tasks/label_losses.h"

#include <algorithm>
#include <numeric>

#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

double weight_of_examples(const Batch& batch) {
  return std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
}

Tensor ExampleScale::of(const Batch& batch, double update_weight, std::size_t passes,
                        Region& region) {
  values_.resize(batch.weights.size());
  std::transform(batch.weights.begin(), batch.weights.end(), values_.begin(), [&](float weight) {
    return static_cast<float>(static_cast<double>(weight) /
                              (static_cast<double>(passes) * update_weight));
  });
  Tensor scale(region, DType::f32, Shape{batch.examples()});
  scale.upload(values_);
  return scale;
}

Tensor label_losses(const std::function<Tensor(Context&)>& vectors, const OutputLayer& classifier,
                    const std::vector<std::int32_t>& labels, const Tensor& row_scale,
                    const LabelLoss& loss, std::span<Context> contexts) {
  Context& c = contexts.front();
  Tensor targets(c.region, DType::i32, Shape{static_cast<std::int64_t>(labels.size())});
  targets.upload(labels);
  const CrossEntropyOptions options{.smoothing = static_cast<float>(loss.smoothing),
                                    .row_scale = c.tape != nullptr ? row_scale : Tensor(),
                                    .bias = classifier.bias};
  if (contexts.size() == 1) {
    return linear_cross_entropy(vectors(c), classifier.weight, targets, options, c);
  }
  const Tensor first = vectors(c);
  const Tensor second = vectors(contexts[1]);
  return linear_rdrop(first, second, classifier.weight, targets, static_cast<float>(loss.rdrop),
                      options, c);
}

}  // namespace yona
