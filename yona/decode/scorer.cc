#include "yona/decode/scorer.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/decode/length_penalty.h"
#include "yona/decode/models.h"
#include "yona/decode/stepper.h"
#include "yona/tensor/attention_recorder.h"

namespace yona {

namespace {

// What the decoder reads for each target: its first input and all tokens but the last.
std::vector<Ids> decoder_inputs(std::span<const ScorePair> pairs, std::int32_t start) {
  std::vector<Ids> inputs;
  for (const ScorePair& pair : pairs) {
    Ids& input = inputs.emplace_back(Ids{start});
    input.insert(input.end(), pair.target.begin(), pair.target.end() - 1);
  }
  return inputs;
}

// Adds up the cross-attention of one layer: [target][source] of each pair, mean over the heads.
class CrossAttention : public AttentionRecorder {
 public:
  CrossAttention(std::int64_t layer, float share, std::vector<SoftAlignment>& sums)
      : module_("decoder.layers." + std::to_string(layer) + ".cross_attention"),
        share_(share),
        sums_(sums) {}

  // Has the layer been recorded?
  bool found() const { return found_; }

  void record(const AttentionRecord& record) override {
    if (record.module != module_) {
      return;
    }
    found_ = true;
    const std::vector<float> weights = record.weights.to_vector<float>();
    std::size_t at = 0;  // sentences one after another, each [heads, queries, keys]
    for (SoftAlignment& of_pair : sums_) {
      for (std::int64_t head = 0; head < record.heads; ++head) {
        for (std::vector<float>& row : of_pair) {
          for (float& sum : row) {
            sum += weights[at++] * share_ / static_cast<float>(record.heads);
          }
        }
      }
    }
  }

 private:
  std::string module_;
  bool found_ = false;
  float share_;  // of this model in an ensemble
  std::vector<SoftAlignment>& sums_;
};

constexpr std::int64_t kChunkRows = 256;  // of logits at a time

// -log p of each target, from the states that predict them.
void append_losses(const Tensor& states, const Tensor& targets, const SequenceModel& model,
                   Context& c, std::vector<float>& result) {
  const Tensor logits = model.logits(states, c);                     // [rows, outputs]
  const Tensor both = c.empty(DType::f32, Shape{states.rows(), 2});  // loss and nll
  c.kernels().cross_entropy(
      {.logits = logits.view(), .targets = targets.data<std::int32_t>(), .losses = both.view()},
      c.exec());
  const std::vector<float> values = both.to_vector<float>();
  for (std::size_t i = 1; i < values.size(); i += 2) {
    result.push_back(values[i]);
  }
}

// Of each model, -log p of every target token, all pairs in a row.
std::vector<float> losses(const SequenceModel& model, std::span<const ScorePair> pairs,
                          std::int32_t start, AttentionRecorder* recorder, Region& region) {
  std::vector<Ids> sources, targets;
  for (const ScorePair& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  Context c{.region = region};
  c.attention = recorder;
  const Ragged memory = model.encode(tokens_of(sources, region), c);
  const Ragged states = model.decode(tokens_of(decoder_inputs(pairs, start), region), memory, c);
  const Tensor ids = tokens_of(targets, region).ids;
  std::vector<float> result;
  for (std::int64_t begin = 0; begin < states.tokens(); begin += kChunkRows) {
    const std::int64_t rows = std::min(kChunkRows, states.tokens() - begin);
    append_losses(states.values.row_range(begin, rows), ids.slice(begin, Shape{rows}), model, c,
                  result);
  }
  return result;
}

// log of the mean probability, or the mean of log-probabilities, of one token.
double mean_of(std::span<const double> log_probabilities, EnsembleMean mean) {
  double sum = 0;
  for (const double value : log_probabilities) {
    sum += mean == EnsembleMean::probabilities ? std::exp(value) : value;
  }
  sum /= static_cast<double>(log_probabilities.size());
  return mean == EnsembleMean::probabilities ? std::log(sum) : sum;
}

}  // namespace

PairScorer::PairScorer(std::vector<const SequenceModel*> models, Backend& backend,
                       const DecodeOptions& options)
    : models_(std::move(models)), options_((check_options(options), options)), region_(backend) {
  least_positions(models_, "score");
}

std::vector<std::vector<float>> PairScorer::token_scores(std::span<const ScorePair> pairs,
                                                         std::vector<SoftAlignment>& attention) {
  std::vector<std::vector<float>> by_model;
  for (const SequenceModel* model : models_) {
    const std::int64_t layers = model->shape().decoder_layers;
    const std::int64_t layer =
        options_.alignment_layer + (options_.alignment_layer < 0 ? layers : 0);
    check(!options_.alignments || (layer >= 0 && layer < layers),
          "alignments: there is no decoder layer {}; the model has {}", options_.alignment_layer,
          layers);
    CrossAttention recorder(layer, 1.0F / static_cast<float>(models_.size()), attention);
    const std::int32_t start = options_.start_id >= 0 ? options_.start_id : model->start_id();
    by_model.push_back(
        losses(*model, pairs, start, options_.alignments ? &recorder : nullptr, region_));
    check(!options_.alignments || recorder.found(),
          "alignments: decoder layer {} of the model has no attention", options_.alignment_layer);
  }
  std::vector<std::vector<float>> scores;
  std::vector<double> of_token(models_.size());
  std::size_t token = 0;
  for (const ScorePair& pair : pairs) {
    std::vector<float>& of_pair = scores.emplace_back();
    for (std::size_t i = 0; i < pair.target.size(); ++i, ++token) {
      for (std::size_t m = 0; m < models_.size(); ++m) {
        of_token[m] = -double{by_model[m][token]};
      }
      const double score = models_.size() == 1 ? of_token[0] : mean_of(of_token, options_.ensemble);
      check<DeviceError>(!std::isnan(score),
                         "score: the model's outputs are not numbers: its weights are damaged");
      of_pair.push_back(static_cast<float>(score));
    }
  }
  return scores;
}

std::vector<Hypothesis> PairScorer::score(std::span<const ScorePair> pairs) {
  const SequenceModel& model = *models_.front();
  const std::int64_t most = least_positions(models_, "score");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const auto& [ids, side] :
         {std::pair(&pairs[i].source, "source"), std::pair(&pairs[i].target, "target")}) {
      check(!ids->empty() && static_cast<std::int64_t>(ids->size()) <= most,
            "score: the {} of pair {} has {} tokens; between 1 and {} can be scored", side, i + 1,
            ids->size(), most);
    }
    check_ids(pairs[i].source, model.shape().source_vocabulary,
              {.what = "score", .side = "source", .sentence = i});
    check_ids(pairs[i].target, model.outputs(), {.what = "score", .side = "target", .sentence = i});
  }
  if (pairs.empty()) {
    return {};
  }
  std::vector<SoftAlignment> attention;
  if (options_.alignments) {
    for (const ScorePair& pair : pairs) {
      attention.emplace_back(pair.target.size(), std::vector<float>(pair.source.size(), 0.0F));
    }
  }
  std::vector<Hypothesis> hypotheses;
  for (std::vector<float>& scores : token_scores(pairs, attention)) {
    const std::size_t index = hypotheses.size();
    const Ids& target = pairs[index].target;
    Hypothesis& hypothesis = hypotheses.emplace_back();
    if (options_.alignments) {
      hypothesis.attention = std::move(attention[index]);
    }
    hypothesis.ids = target;
    hypothesis.token_scores = std::move(scores);
    for (const float score : hypothesis.token_scores) {
      hypothesis.log_probability += score;
    }
    const OutputLength length{.tokens = static_cast<std::int64_t>(target.size()), .prefix = 0};
    hypothesis.score = length_normalised(options_, hypothesis.log_probability, length);
  }
  return hypotheses;
}

}  // namespace yona
