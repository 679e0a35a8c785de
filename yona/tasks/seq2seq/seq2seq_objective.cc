#include "yona/tasks/seq2seq/seq2seq_objective.h"

#include <algorithm>

#include "yona/tensor/ops/cross_entropy.h"

namespace yona {

// A batch on the device. The decoder reads <pad> and the target without its last token, and
// predicts the target: both have the target's layout.
struct Seq2SeqObjective::Prepared {
  Tokens source, target_input;
  Tensor targets;    // i32 [T]
  Tensor row_scale;  // f32 [T]
};

namespace {

// Sentences that keep the most memory. On a CPU only the totals matter; a GPU keeps most with
// sentences as long as these (backend/attention_decisions.h).
std::int64_t costly_length(const SequenceShape& shape, const Backend& backend) {
  const std::int64_t costly = backend.keeps_attention_decisions() ? 256 : 32;
  return std::min(costly, shape.max_positions);
}

void append_tokens(Side& side, std::int64_t tokens, std::int64_t length) {
  side.ids.assign(static_cast<std::size_t>(tokens), 0);
  side.offsets.assign(1, 0);
  for (std::int64_t end = length; end < tokens + length; end += length) {
    side.offsets.push_back(std::min(end, tokens));
  }
}

}  // namespace

double Seq2SeqObjective::weight(const Batch& batch) const {
  double weight = 0;
  for (std::size_t i = 0; i < batch.weights.size(); ++i) {
    weight += static_cast<double>(batch.weights[i]) *
              static_cast<double>(batch.sides[kTarget].rows_of(i));
  }
  return weight;
}

Seq2SeqObjective::Prepared Seq2SeqObjective::prepare(const Batch& batch, double update_weight,
                                                     Region& region) {
  Prepared prepared;
  const auto upload = [&](const auto& values, DType dtype) {
    Tensor tensor(region, dtype, Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  };
  const Side& source = batch.sides[kSource];
  const Side& target = batch.sides[kTarget];
  prepared.source = {upload(source.ids, DType::i32),
                     make_layout(source.offsets, batch.example_ids, region)};
  shifted_.resize(target.ids.size());
  row_scale_.resize(shifted_.size());
  for (std::size_t s = 0; s + 1 < target.offsets.size(); ++s) {
    const auto begin = static_cast<std::size_t>(target.offsets[s]);
    for (auto t = begin; t < static_cast<std::size_t>(target.offsets[s + 1]); ++t) {
      shifted_[t] = t == begin ? model_->start_id() : target.ids[t - 1];
      row_scale_[t] = static_cast<float>(static_cast<double>(batch.weights[s]) / update_weight);
    }
  }
  prepared.target_input = {upload(shifted_, DType::i32),
                           make_layout(target.offsets, batch.example_ids, region)};
  prepared.targets = upload(target.ids, DType::i32);
  prepared.row_scale = upload(row_scale_, DType::f32);
  return prepared;
}

Tensor Seq2SeqObjective::states(const Prepared& prepared, Context& c) const {
  const Ragged states =
      model_->decode(prepared.target_input, model_->encode(prepared.source, c), c);  // [T, d_model]
  return model_->projected_states(states.values, c);
}

Tensor Seq2SeqObjective::losses(const Batch& batch, double update_weight,
                                std::span<Context> contexts) {
  Context& c = contexts.front();
  const Prepared prepared =
      prepare(batch, static_cast<double>(contexts.size()) * update_weight, c.region);
  const CrossEntropyOptions options{.smoothing = static_cast<float>(loss_.label_smoothing),
                                    .row_scale = c.tape != nullptr ? prepared.row_scale : Tensor(),
                                    .bias = model_->projection_bias()};
  if (contexts.size() == 1) {
    return linear_cross_entropy(states(prepared, c), model_->projection(), prepared.targets,
                                options, c);
  }
  const Tensor first = states(prepared, c);
  const Tensor second = states(prepared, contexts[1]);
  return linear_rdrop(first, second, model_->projection(), prepared.targets,
                      static_cast<float>(loss_.rdrop), options, c);
}

Batch Seq2SeqObjective::largest_batch(std::int64_t batch_tokens, const Backend& backend) const {
  Batch batch;
  const std::int64_t length = costly_length(model_->shape(), backend);
  append_tokens(batch.sides[kSource], batch_tokens, length);
  append_tokens(batch.sides[kTarget], batch_tokens, length);
  batch.example_ids.assign(static_cast<std::size_t>(batch.sides[kSource].examples()), 0);
  batch.weights.assign(batch.example_ids.size(), 1.0F);
  return batch;
}

}  // namespace yona
