#include "yona/models/memory_network.h"

#include <numeric>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/attention.h"
#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/multiply.h"
#include "yona/tensor/ops/segment_mean.h"

namespace yona {

namespace {

constexpr double kMemoryDeviation = 0.1;  // of new weights, §4.2

Parameter memory_table(std::int64_t rows, std::int64_t d) {
  return {.shape = {rows, d}, .init = Init::normal, .deviation = kMemoryDeviation};
}

Tensor uploaded_ids(std::span<const std::int32_t> ids, Region& region) {
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
  tensor.upload(std::vector<std::int32_t>(ids.begin(), ids.end()));
  return tensor;
}

// The weights of all words of these sentences: [T, d].
Tensor word_weights(std::span<const std::int64_t> offsets, const MemoryNetworkConfig& config,
                    DType dtype, Region& region) {
  std::vector<double> values;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t length = offsets[s + 1] - offsets[s];
    for (std::int64_t j = 1; j <= length; ++j) {
      for (std::int64_t k = 1; k <= config.d_model; ++k) {
        values.push_back(config.position_encoding ? word_weight(j, length, k, config.d_model)
                                                  : static_cast<double>(length));
      }
    }
  }
  Tensor tensor(region, dtype, Shape{offsets.back(), config.d_model});
  if (dtype == DType::f64) {
    tensor.upload(values);
  } else {
    tensor.upload(std::vector<float>(values.begin(), values.end()));
  }
  return tensor;
}

Tensor with_type(const Tensor& x, DType dtype, Context& c) {
  if (x.dtype() == dtype) {
    return x;
  }
  Tensor y = c.empty(dtype, x.shape());
  c.kernels().add({.a = x.view(), .b = {}, .y = y.view(), .alpha = 1.0F}, c.exec());
  return y;
}

// Σ_j l_j ∘ A x_j of each sentence: [sentences, d]
Tensor bag_of_words(const Tensor& words, const std::shared_ptr<const Layout>& layout,
                    const Tensor& weights, const Tensor& table, Context& c) {
  const Tensor embedded = embed(words, *layout, table, {}, {}, c);  // [T, d]
  return segment_mean({multiply(embedded, with_type(weights, embedded.dtype(), c), c), layout}, c);
}

void check_stories(const Stories& stories, const MemoryNetworkConfig& config) {
  for (std::size_t n = 0; n + 1 < stories.stories.size(); ++n) {
    const std::int64_t sentences = stories.stories[n + 1] - stories.stories[n];
    check(sentences >= 1 && sentences <= config.memory,
          "memory network: a story has {} sentences; the memory takes 1 to {} (model.memory)",
          sentences, config.memory);
    check(stories.question_offsets[n + 1] > stories.question_offsets[n],
          "memory network: a question has no words");
  }
  for (const std::int32_t length : stories.sentence_lengths) {
    check(length >= 1, "memory network: a sentence has no words");
  }
}

AttentionOptions one_reader(std::int64_t d) {
  AttentionOptions options;
  options.d_k = options.d_v = d;
  return options;
}

}  // namespace

double word_weight(std::int64_t j, std::int64_t length, std::int64_t k, std::int64_t d) {
  const auto J = static_cast<double>(length);
  const double place = static_cast<double>(j) / J;
  const double channel = static_cast<double>(k) / static_cast<double>(d);
  return J * ((1 - place) - channel * (1 - 2 * place));
}

MemoryNetwork::MemoryNetwork(const MemoryNetworkConfig& config)
    : config_((check_config(config), config)) {
  const std::int64_t d = config.d_model;
  const auto hops = static_cast<std::size_t>(config.hops);
  tables_.assign(is_adjacent() ? hops + 1 : 4, memory_table(config.vocabulary, d));
  if (config.temporal_encoding) {
    ages_.assign(is_adjacent() ? hops + 1 : 2, memory_table(config.memory, d));
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    add(fmt::format("embeddings.{}.weight", i), tables_[i]);
  }
  for (std::size_t i = 0; i < ages_.size(); ++i) {
    add(fmt::format("ages.{}.weight", i), ages_[i]);
  }
  if (!is_adjacent()) {
    transform_ = memory_table(d, d);
    add("transform.weight", transform_);
  }
}

std::size_t MemoryNetwork::key_table(std::int64_t hop) const {
  return is_adjacent() ? static_cast<std::size_t>(hop) : 0;
}

std::size_t MemoryNetwork::value_table(std::int64_t hop) const {
  return is_adjacent() ? static_cast<std::size_t>(hop) + 1 : 1;
}

StoryInput MemoryNetwork::input(const Stories& stories, Region& region) const {
  check_stories(stories, config_);
  std::vector<std::int64_t> sentences{0};
  for (const std::int32_t length : stories.sentence_lengths) {
    sentences.push_back(sentences.back() + length);
  }
  std::vector<std::int32_t> ages;
  for (std::size_t n = 0; n + 1 < stories.stories.size(); ++n) {
    for (std::int64_t i = stories.stories[n]; i < stories.stories[n + 1]; ++i) {
      ages.push_back(static_cast<std::int32_t>(stories.stories[n + 1] - 1 - i));
    }
  }
  std::vector<std::int64_t> single(stories.stories.size());
  std::iota(single.begin(), single.end(), 0);
  const DType dtype = tables_.front().value.dtype();
  return {.words = uploaded_ids(stories.words, region),
          .sentences = make_layout(sentences, {}, region),
          .weights = word_weights(sentences, config_, dtype, region),
          .stories = make_layout(stories.stories, {}, region),
          .ages = uploaded_ids(ages, region),
          .questions = uploaded_ids(stories.questions, region),
          .question_layout = make_layout(stories.question_offsets, {}, region),
          .question_weights = word_weights(stories.question_offsets, config_, dtype, region),
          .queries = make_layout(single, {}, region)};
}

// m_i or c_i: [S, d]
Tensor MemoryNetwork::memory(std::size_t table, const StoryInput& input, Context& c) const {
  Tensor sums = bag_of_words(input.words, input.sentences, input.weights, tables_[table].value, c);
  if (ages_.empty()) {
    return sums;
  }
  return yona::add(sums, embed(input.ages, *input.stories, ages_[table].value, {}, {}, c), c);
}

// u¹ = B q; then for each hop o = Σ p_i c_i and u ← u + o, or H u + o where hops share their tables
MemoryNetwork::Pass MemoryNetwork::pass(const StoryInput& input, Context& c) const {
  Pass result;
  const std::size_t read = is_adjacent() ? tables_.size() : 2;
  for (std::size_t table = 0; table < read; ++table) {
    result.memories.push_back(memory(table, input, c));
  }
  Tensor u = bag_of_words(input.questions, input.question_layout, input.question_weights,
                          tables_[question_table()].value, c);  // [N, d]
  for (std::int64_t hop = 0; hop < config_.hops; ++hop) {
    result.queries.push_back(u);
    const Tensor o =
        yona::attention(u, result.memories[key_table(hop)], result.memories[value_table(hop)],
                        input.queries, input.stories, one_reader(config_.d_model), c);  // [N, d]
    u = yona::add(is_adjacent() ? u : linear(u, transform_.value, {}, {}, c), o, c);
  }
  result.state = u;
  return result;
}

Tensor MemoryNetwork::states(const StoryInput& input, Context& c) const {
  return pass(input, c).state;
}

OutputLayer MemoryNetwork::output_layer() const { return {tables_.back().value, {}}; }

std::vector<Tensor> MemoryNetwork::attention(const StoryInput& input, Context& c) const {
  const Pass passed = pass(input, c);
  std::vector<Tensor> weights;
  for (std::int64_t hop = 0; hop < config_.hops; ++hop) {
    weights.push_back(attention_weights(passed.queries[static_cast<std::size_t>(hop)],
                                        passed.memories[key_table(hop)], input.queries,
                                        input.stories, one_reader(config_.d_model), c));
  }
  return weights;
}

}  // namespace yona
