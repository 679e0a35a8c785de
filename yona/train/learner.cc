#include "yona/train/learner.h"

#include <vector>

#include "yona/tensor/operand.h"
#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

// A batch on the device. The decoder reads <pad> and the target without its last token, and
// predicts the target: both have the target's layout.
struct Learner::Prepared {
  Tokens source, target_input;
  Tensor targets;    // i32 [T]
  Tensor row_scale;  // f32 [T]
};

LossSums& LossSums::operator+=(const LossSums& other) {
  loss += other.loss;
  nll += other.nll;
  tokens += other.tokens;
  return *this;
}

double target_weight(const PairBatch& batch) {
  double weight = 0;
  for (std::int64_t s = 0; s < batch.sentences(); ++s) {
    const auto i = static_cast<std::size_t>(s);
    weight += static_cast<double>(batch.weights[i]) *
              static_cast<double>(batch.target.offsets[i + 1] - batch.target.offsets[i]);
  }
  return weight;
}

Learner::Learner(const Transformer& model, Backend& backend, const LossConfig& config)
    : model_(model),
      config_(config),
      region_(backend),
      weight_gradients_(backend),
      readbacks_(backend) {}

Learner::Prepared Learner::prepare(const PairBatch& batch, double update_weight) {
  Prepared prepared;
  const auto upload = [&](const auto& values, DType dtype) {
    Tensor tensor(region_, dtype, Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  };
  prepared.source = {upload(batch.source.ids, DType::i32),
                     make_layout(batch.source.offsets, batch.sentence_ids, region_)};
  std::vector<std::int32_t>& shifted = host_.shifted;
  std::vector<float>& scale = host_.row_scale;
  shifted.resize(batch.target.ids.size());
  scale.resize(shifted.size());
  for (std::size_t s = 0; s + 1 < batch.target.offsets.size(); ++s) {
    for (auto t = static_cast<std::size_t>(batch.target.offsets[s]);
         t < static_cast<std::size_t>(batch.target.offsets[s + 1]); ++t) {
      const bool first = t == static_cast<std::size_t>(batch.target.offsets[s]);
      shifted[t] = first ? model_.start_id() : batch.target.ids[t - 1];
      scale[t] = static_cast<float>(static_cast<double>(batch.weights[s]) / update_weight);
    }
  }
  prepared.target_input = {upload(shifted, DType::i32),
                           make_layout(batch.target.offsets, batch.sentence_ids, region_)};
  prepared.targets = upload(batch.target.ids, DType::i32);
  prepared.row_scale = upload(scale, DType::f32);
  return prepared;
}

Tensor Learner::states(const Prepared& prepared, Context& c) const {
  const Ragged states =
      model_.decode(prepared.target_input, model_.encode(prepared.source, c), c);  // [T, d_model]
  return model_.projected_states(states.values, c);
}

LossSums PendingLoss::read() const {
  const auto* row = static_cast<const float*>(losses_->wait());
  const float* end = row + 2 * passes_ * tokens_;
  LossSums sums;
  for (; row != end; row += 2) {
    sums.loss += static_cast<double>(row[0]) / static_cast<double>(passes_);
    sums.nll += static_cast<double>(row[1]) / static_cast<double>(passes_);
  }
  sums.tokens = tokens_;
  return sums;
}

PendingLoss Learner::pending(const Tensor& losses, const PairBatch& batch, std::int64_t passes) {
  return {readbacks_.start(losses.view().data,
                           losses.elements() * static_cast<std::int64_t>(size_of(losses.dtype()))),
          batch.target.tokens(), passes};
}

void Learner::backward() {
  Backend& backend = region_.backend();
  backend.begin_backward();
  tape_.backward();
  weight_gradients_.finish();
  backend.end_backward();
}

PendingLoss Learner::accumulate(const PairBatch& batch, const RandomCounters& random,
                                double update_weight) {
  const bool rdrop = config_.rdrop > 0;
  const Prepared prepared = prepare(batch, rdrop ? 2.0 * update_weight : update_weight);
  Context c{.region = region_,
            .tape = &tape_,
            .training = true,
            .random = random,
            .precision = config_.precision,
            .weight_gradients = &weight_gradients_};
  const RoundedWeights rounded(model_.projection(), c);
  const CrossEntropyOptions options{.smoothing = static_cast<float>(config_.label_smoothing),
                                    .row_scale = prepared.row_scale,
                                    .bias = model_.projection_bias()};
  Context second_context = c;  // of R-Drop's second pass; what is recorded refers to it
  second_context.random.pass = 1;
  Tensor losses;
  try {
    if (rdrop) {
      const Tensor first = states(prepared, c);
      const Tensor second = states(prepared, second_context);
      losses = linear_rdrop(first, second, model_.projection(), prepared.targets,
                            static_cast<float>(config_.rdrop), options, c);
    } else {
      losses = linear_cross_entropy(states(prepared, c), model_.projection(), prepared.targets,
                                    options, c);
    }
    backward();
  } catch (...) {
    tape_.clear();
    weight_gradients_.clear();
    region_.backend().abandon_backward();
    throw;
  }
  return pending(losses, batch, rdrop ? 2 : 1);
}

LossSums Learner::evaluate(const PairBatch& batch) {
  const Prepared prepared = prepare(batch, 1.0);
  Context c{.region = region_, .precision = config_.precision};
  const RoundedWeights rounded(model_.projection(), c);
  const CrossEntropyOptions options{.smoothing = static_cast<float>(config_.label_smoothing),
                                    .row_scale = {},
                                    .bias = model_.projection_bias()};
  const Tensor losses =
      linear_cross_entropy(states(prepared, c), model_.projection(), prepared.targets, options, c);
  return pending(losses, batch, 1).read();
}

}  // namespace yona
