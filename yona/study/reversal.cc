#include "yona/study/reversal.h"

#include <algorithm>
#include <vector>

#include "yona/base/random.h"
#include "yona/tensor/ops/gather_rows.h"

namespace yona {

namespace {

// The decoder's inputs so far, a sequence for each pair.
class GreedyPrefixes {
 public:
  GreedyPrefixes(const SequenceModel& model, const Batch& batch, Backend& backend)
      : model_(model), region_(backend), c_{.region = region_} {
    prefixes_.assign(static_cast<std::size_t>(batch.examples()), {model.start_id()});
    const Side& source = batch.sides[kSource];
    memory_ =
        model.encode({uploaded_ids(source.ids), make_layout(source.offsets, {}, region_)}, c_);
  }

  void step() {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> last;
    for (const std::vector<std::int32_t>& prefix : prefixes_) {
      ids.insert(ids.end(), prefix.begin(), prefix.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
      last.push_back(static_cast<std::int32_t>(ids.size()) - 1);
    }
    const Ragged states =
        model_.decode({uploaded_ids(ids), make_layout(offsets, {}, region_)}, memory_, c_);
    const Tensor ends = gather_rows(states.values, uploaded_ids(last), c_);  // [S, d_model]
    const Tensor logits = model_.logits(model_.projected_states(ends, c_), c_);
    const auto scores = logits.to_vector<float>();
    const auto outputs = static_cast<std::ptrdiff_t>(logits.cols());
    for (std::size_t s = 0; s < prefixes_.size(); ++s) {
      const auto row = scores.begin() + static_cast<std::ptrdiff_t>(s) * outputs;
      prefixes_[s].push_back(static_cast<std::int32_t>(std::max_element(row, row + outputs) - row));
    }
  }

  // What was written for a pair, without the first input.
  std::vector<std::int32_t> written(std::size_t s) const {
    return {prefixes_[s].begin() + 1, prefixes_[s].end()};
  }

 private:
  Tensor uploaded_ids(const std::vector<std::int32_t>& ids) {
    Tensor tensor(region_, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
    tensor.upload(ids);
    return tensor;
  }

  const SequenceModel& model_;
  Region region_;
  Context c_;
  Ragged memory_;
  std::vector<std::vector<std::int32_t>> prefixes_;
};

}  // namespace

Batch reversal_batch(std::int64_t count, std::int64_t shortest, std::int64_t longest,
                     std::uint64_t key) {
  Batch batch;
  batch.clear();
  RandomSequence random(key);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto lengths = static_cast<std::uint64_t>(longest - shortest + 1);
    const std::int64_t length = shortest + static_cast<std::int64_t>(random.below(lengths));
    std::vector<std::int32_t> symbols;
    for (std::int64_t n = 0; n < length; ++n) {
      symbols.push_back(1 + static_cast<std::int32_t>(random.below(kReversalSymbols)));
    }
    Side& source = batch.sides[kSource];
    Side& target = batch.sides[kTarget];
    source.ids.insert(source.ids.end(), symbols.begin(), symbols.end());
    target.ids.insert(target.ids.end(), symbols.rbegin(), symbols.rend());
    for (Side* side : {&source, &target}) {
      side->ids.push_back(kReversalEnd);
      side->end_example();
    }
    batch.example_ids.push_back(mix(key, static_cast<std::uint64_t>(i)));
    batch.weights.push_back(1.0F);
  }
  return batch;
}

TransformerConfig reversal_config(const StudySetting& setting) {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = kReversalSymbols + 2;
  config.encoder_layers = config.decoder_layers = setting.is_small() ? 1 : 2;
  config.d_model = setting.is_small() ? 16 : 64;
  config.d_ff = 2 * config.d_model;
  config.heads = 4;
  config.dropout = 0.0;
  config.norm = NormPosition::pre;
  config.max_positions = 128;
  return config;
}

std::vector<std::vector<std::int32_t>> greedy_outputs(const SequenceModel& model,
                                                      const Batch& batch, std::int64_t steps,
                                                      Backend& backend) {
  GreedyPrefixes prefixes(model, batch, backend);
  for (std::int64_t step = 0; step < steps; ++step) {
    prefixes.step();
  }
  std::vector<std::vector<std::int32_t>> outputs;
  for (std::size_t s = 0; s < static_cast<std::size_t>(batch.examples()); ++s) {
    outputs.push_back(prefixes.written(s));
  }
  return outputs;
}

ReversalAccuracy reversal_accuracy(const SequenceModel& model, const Batch& batch,
                                   Backend& backend) {
  const Side& target = batch.sides[kTarget];
  std::int64_t longest = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(batch.examples()); ++s) {
    longest = std::max(longest, target.rows_of(s));
  }
  const auto outputs = greedy_outputs(model, batch, longest, backend);
  double right = 0;
  double whole = 0;
  for (std::size_t s = 0; s < static_cast<std::size_t>(batch.examples()); ++s) {
    const std::vector<std::int32_t>& written = outputs[s];
    const std::int64_t length = target.rows_of(s);
    std::int64_t same = 0;
    for (std::int64_t t = 0; t < length; ++t) {
      same += written[static_cast<std::size_t>(t)] ==
                      target.ids[static_cast<std::size_t>(target.offsets[s] + t)]
                  ? 1
                  : 0;
    }
    right += static_cast<double>(same);
    whole += same == length ? 1 : 0;
  }
  return {right / static_cast<double>(target.rows()),
          whole / static_cast<double>(batch.examples())};
}

}  // namespace yona
