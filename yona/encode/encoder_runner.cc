#include "yona/encode/encoder_runner.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "yona/encode/host_floats.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/segment_mean.h"

namespace yona {

namespace {

constexpr std::size_t kBatchTokens = 4096;

std::vector<std::size_t> by_length(std::span<const EncodedText> texts) {
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return texts[a].ids.size() < texts[b].ids.size();
  });
  return order;
}

// How many of `order` make the next batch.
std::size_t batch_size(std::span<const EncodedText> texts, std::span<const std::size_t> order) {
  std::size_t tokens = 0;
  std::size_t count = 0;
  while (count < order.size()) {
    tokens += texts[order[count]].ids.size();
    if (count > 0 && tokens > kBatchTokens) {
      break;
    }
    ++count;
  }
  return count;
}

}  // namespace

BertInput EncoderRunner::upload(std::span<const EncodedText> texts,
                                std::span<const std::size_t> batch) {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> types;
  std::vector<std::int64_t> offsets{0};
  for (const std::size_t text : batch) {
    ids.insert(ids.end(), texts[text].ids.begin(), texts[text].ids.end());
    types.insert(types.end(), texts[text].types.begin(), texts[text].types.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return model_.input({.ids = ids, .offsets = offsets, .types = types, .text_ids = {}}, region_);
}

Vectors EncoderRunner::run(std::span<const EncodedText> texts, const Head& head) {
  const std::vector<std::size_t> order = by_length(texts);
  Vectors results(texts.size());
  for (std::size_t begin = 0; begin < order.size();) {
    const std::span<const std::size_t> rest = std::span(order).subspan(begin);
    const std::span<const std::size_t> batch = rest.first(batch_size(texts, rest));
    Context c{.region = region_};
    c.precision = precision_;
    const BertInput input = upload(texts, batch);
    const Tensor rows = head(input, model_.states(input, c), c);  // [batch, columns]
    const std::vector<float> values = host_floats(rows, c);
    const auto columns = static_cast<std::ptrdiff_t>(rows.cols());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(i) * columns;
      results[batch[i]].assign(from, from + columns);
    }
    begin += batch.size();
  }
  return results;
}

Vectors EncoderRunner::class_logits(std::span<const EncodedText> texts) {
  return run(texts, [&](const BertInput& input, const Ragged& states, Context& c) {
    return logits_of(model_.text_vectors(input, states, c), model_.classifier(), c);
  });
}

Vectors EncoderRunner::pooled(std::span<const EncodedText> texts, Pooling pooling) {
  if (pooling == Pooling::max) {
    return largest(texts);
  }
  return run(texts, [&](const BertInput& input, const Ragged& states, Context& c) {
    return pooling == Pooling::cls ? gather_rows(states.values, input.first, c)
                                   : segment_mean(states, c);
  });
}

// The maximum over tokens is taken on the host: there is no op for it.
Vectors EncoderRunner::largest(std::span<const EncodedText> texts) {
  Vectors results;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    Context c{.region = region_};
    c.precision = precision_;
    const std::vector<std::size_t> one{text};
    const BertInput input = upload(texts, one);
    const Tensor states = model_.states(input, c).values;  // [T, d_model]
    const std::vector<float> values = host_floats(states, c);
    const auto d_model = static_cast<std::size_t>(states.cols());
    std::vector<float>& best = results.emplace_back(d_model, std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < values.size(); ++i) {
      best[i % d_model] = std::max(best[i % d_model], values[i]);
    }
  }
  return results;
}

Vectors EncoderRunner::masked_logits(const EncodedText& text,
                                     std::span<const std::int64_t> places) {
  Context c{.region = region_};
  c.precision = precision_;
  const std::vector<std::size_t> one{0};
  const BertInput input = upload({&text, 1}, one);
  const std::vector<std::int32_t> rows(places.begin(), places.end());
  Tensor at(region_, DType::i32, Shape{static_cast<std::int64_t>(rows.size())});
  at.upload(rows);
  const Tensor states = gather_rows(model_.states(input, c).values, at, c);  // [places, d_model]
  const Tensor logits = logits_of(model_.masked_states(states, c), model_.masked_lm(), c);
  const std::vector<float> values = host_floats(logits, c);
  Vectors results;
  for (std::int64_t i = 0; i < logits.rows(); ++i) {
    results.emplace_back(values.begin() + i * logits.cols(),
                         values.begin() + (i + 1) * logits.cols());
  }
  return results;
}

}  // namespace yona
