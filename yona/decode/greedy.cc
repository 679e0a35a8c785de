#include "yona/decode/greedy.h"

#include <algorithm>
#include <numeric>

#include "yona/tensor/context.h"
#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/matmul.h"

namespace yona {

namespace {

constexpr std::int32_t kEndId = 0;  // </s>

// All sentences in one row, as the model takes them.
Tokens tokens_of(const std::vector<std::vector<std::int32_t>>& sentences, Region& region) {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
  tensor.upload(ids);
  return {tensor, make_layout(offsets, {}, region)};
}

// The state of each sentence's last token: [sentences, d_model]. Embedding is a gather of rows.
Tensor last_states(const Ragged& states, Context& c) {
  const std::vector<std::int64_t> offsets = states.layout->offsets.to_vector<std::int64_t>();
  std::vector<std::vector<std::int32_t>> rows;
  for (std::size_t s = 1; s < offsets.size(); ++s) {
    rows.push_back({static_cast<std::int32_t>(offsets[s] - 1)});
  }
  const Tokens last = tokens_of(rows, c.region);
  return embed(last.ids, *last.layout, states.values, {}, {}, c);
}

std::vector<std::int32_t> best_tokens(const Tensor& logits) {
  const std::vector<float> values = logits.to_vector<float>();
  std::vector<std::int32_t> best;
  for (std::int64_t row = 0; row < logits.rows(); ++row) {
    const auto begin = values.begin() + row * logits.cols();
    best.push_back(
        static_cast<std::int32_t>(std::max_element(begin, begin + logits.cols()) - begin));
  }
  return best;
}

}  // namespace

GreedyTranslator::GreedyTranslator(const TranslationModel& model, Backend& backend,
                                   const GreedyOptions& options)
    : model_(model), options_(options), region_(backend) {}

std::vector<GreedyTranslator::Ids> GreedyTranslator::decode(const std::vector<Ids>& sources) {
  const Transformer& transformer = model_.transformer();
  Context c{.region = region_};
  const Ragged memory = transformer.encode(tokens_of(sources, region_), c);
  std::vector<Ids> outputs(sources.size());
  std::vector<Ids> inputs(sources.size(), Ids{transformer.padding_id()});
  std::size_t running = sources.size();
  while (running > 0) {
    const Ragged states = transformer.decode(tokens_of(inputs, region_), memory, c);
    const Tensor logits =
        matmul(last_states(states, c), transformer.projection(), Transpose::yes, c);  // [S, V-1]
    const std::vector<std::int32_t> next = best_tokens(logits);
    running = 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (inputs[s].size() == outputs[s].size() + 1) {  // not finished
        const std::int64_t most =
            std::min(static_cast<std::int64_t>(sources[s].size()) + options_.extra_tokens,
                     transformer.config().max_positions - 1);
        if (next[s] == kEndId || static_cast<std::int64_t>(outputs[s].size()) >= most) {
          inputs[s].resize(1);  // costs one token a step from here on
          outputs[s].push_back(kEndId);
        } else {
          outputs[s].push_back(next[s]);
          inputs[s].push_back(next[s]);
          ++running;
        }
      }
    }
  }
  return outputs;
}

std::vector<std::string> GreedyTranslator::translate(const std::vector<std::string>& lines) {
  std::vector<Ids> sources(lines.size());
  std::vector<std::size_t> order;  // by length, so that a batch ends together
  for (std::size_t i = 0; i < lines.size(); ++i) {
    model_.subwords().source.encode(lines[i], sources[i]);
    if (!sources[i].empty()) {
      sources[i].push_back(kEndId);
      order.push_back(i);
    }
    const auto length = static_cast<std::int64_t>(sources[i].size());
    check(length <= model_.info().config.max_positions,
          "translate: line {} has {} tokens, the model takes at most {}", i + 1, length,
          model_.info().config.max_positions);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sources[a].size() < sources[b].size();
  });
  std::vector<std::string> translations(lines.size());
  const auto step = static_cast<std::size_t>(options_.batch_sentences);
  for (std::size_t begin = 0; begin < order.size(); begin += step) {
    const std::size_t end = std::min(begin + step, order.size());
    std::vector<Ids> batch;
    for (std::size_t i = begin; i < end; ++i) {
      batch.push_back(sources[order[i]]);
    }
    const std::vector<Ids> outputs = decode(batch);
    for (std::size_t i = begin; i < end; ++i) {
      translations[order[i]] = model_.subwords().target.decode(outputs[i - begin]);
    }
  }
  return translations;
}

}  // namespace yona
