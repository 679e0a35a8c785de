#include "yona/tasks/language_model/perplexity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/softmax.h"
#include "yona/text/tokenizer/plain_segmenters.h"

namespace yona {

namespace {

// Of weights that are packed or in bytes, with which only products can be formed: a few rows of
// logits at a time.
std::vector<double> losses_of_logits(const CausalLm& model, const Tensor& states,
                                     std::span<const std::int32_t> targets, Context& c) {
  constexpr std::int64_t kAtOnce = 128;
  std::vector<double> nll;
  for (std::int64_t begin = 0; begin < states.rows(); begin += kAtOnce) {
    const std::int64_t rows = std::min(kAtOnce, states.rows() - begin);
    const Tensor logits = model.logits(states.row_range(begin, rows), c);  // [rows, vocabulary]
    const Tensor log_p = log_softmax(logits, c);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int32_t target = targets[static_cast<std::size_t>(begin + row)];
      nll.push_back(-static_cast<double>(log_p.view().row<float>(row)[target]));
    }
  }
  return nll;
}

// -log p of each token of a window but the first, in nats.
std::vector<double> token_losses(const CausalLm& model, std::span<const std::int32_t> ids,
                                 Region& region) {
  Context c{.region = region};
  const auto rows = static_cast<std::int64_t>(ids.size()) - 1;
  const auto upload = [&](std::span<const std::int32_t> values) {
    Tensor tensor(region, DType::i32, Shape{rows});
    tensor.upload(std::vector<std::int32_t>(values.begin(), values.end()));
    return tensor;
  };
  const std::vector<std::int64_t> offsets{0, rows};
  const Tokens tokens{upload(ids.first(static_cast<std::size_t>(rows))),
                      make_layout(offsets, {}, region)};
  const Ragged states = model.decode(tokens, {}, c);  // [T, d_model]
  const Storage& weights = *model.projection().storage();
  if (weights.packed != nullptr || weights.quantised != nullptr) {
    return losses_of_logits(model, states.values, ids.subspan(1), c);
  }
  const Tensor losses =
      linear_cross_entropy(states.values, model.projection(), upload(ids.subspan(1)), {}, c);
  const std::vector<float> values = losses.to_vector<float>();  // [T, 2]
  std::vector<double> nll;
  for (std::size_t i = 1; i < values.size(); i += 2) {
    nll.push_back(values[i]);
  }
  return nll;
}

PerplexityOptions completed(PerplexityOptions options, const CausalLm& model) {
  const std::int64_t positions = model.config().max_positions;
  options.context = options.context > 0 ? options.context : positions;
  options.stride = options.stride > 0 ? options.stride : options.context;
  check(options.context >= 2 && options.context <= positions,
        "perplexity: a context of {} is not between 2 and the model's {} positions",
        counted(static_cast<std::uint64_t>(options.context), "token"), positions);
  check(options.stride <= options.context,
        "perplexity: a stride of {} tokens leaves gaps between windows of {}", options.stride,
        options.context);
  return options;
}

}  // namespace

std::vector<PerplexityWindow> perplexity_windows(std::int64_t tokens, std::int64_t context,
                                                 std::int64_t stride) {
  std::vector<PerplexityWindow> windows;
  std::int64_t done = 0;
  for (std::int64_t begin = 0; done < tokens; begin += stride) {
    const std::int64_t end = std::min(begin + context, tokens);
    windows.push_back({begin, end - begin, end - done});
    done = end;
  }
  return windows;
}

Perplexity perplexity(const CausalLm& model, const TextTokenizer& tokenizer, std::string_view text,
                      const PerplexityOptions& options, Backend& backend) {
  const PerplexityOptions chosen = completed(options, model);
  const std::vector<std::int32_t> ids = tokenizer.encode_prompt(text);
  check(ids.size() >= 2, "perplexity: a text of {} has nothing to predict",
        counted(ids.size(), "token"));
  Perplexity result;
  result.words = static_cast<std::int64_t>(whitespace_words(text).size());
  result.bytes = static_cast<std::int64_t>(text.size());
  double weighted = 0.0;
  double weights = 0.0;
  Region region(backend);
  for (const PerplexityWindow& window :
       perplexity_windows(static_cast<std::int64_t>(ids.size()), chosen.context, chosen.stride)) {
    if (window.length < 2) {
      continue;
    }
    const std::span<const std::int32_t> tokens = std::span(ids).subspan(
        static_cast<std::size_t>(window.begin), static_cast<std::size_t>(window.length));
    const std::vector<double> nll = token_losses(model, tokens, region);
    const auto predicted = std::min(static_cast<std::int64_t>(nll.size()), window.predicted);
    double sum = 0.0;
    for (auto i = static_cast<std::int64_t>(nll.size()) - predicted;
         i < static_cast<std::int64_t>(nll.size()); ++i) {
      sum += nll[static_cast<std::size_t>(i)];
    }
    result.nll += sum;
    result.tokens += predicted;
    ++result.windows;
    const auto weight = static_cast<double>(window.predicted - 1);
    weighted += weight * sum / static_cast<double>(predicted);
    weights += weight;
  }
  const double mean =
      weights > 0 ? weighted / weights : result.nll / static_cast<double>(result.tokens);
  result.per_token = std::exp(mean);
  // Windows without overlap do not predict their first tokens, whose words and bytes count.
  const double nll =
      result.nll * static_cast<double>(ids.size() - 1) / static_cast<double>(result.tokens);
  result.per_word = result.words > 0 ? std::exp(nll / static_cast<double>(result.words))
                                     : std::numeric_limits<double>::quiet_NaN();
  result.per_byte = std::exp(nll / static_cast<double>(result.bytes));
  result.bits_per_byte = nll / static_cast<double>(result.bytes) / std::log(2.0);
  return result;
}

}  // namespace yona
