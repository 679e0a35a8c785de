#include "yona/tasks/language_model/samples.h"

#include <algorithm>
#include <span>

#include "yona/data/documents/document_reader.h"
#include "yona/tensor/attention_cache.h"

namespace yona {

namespace {

constexpr std::int64_t kTokens = 48;  // of a prompt, and of its continuation
constexpr std::int64_t kRegion = std::int64_t{1} << 30U;

}  // namespace

LmSamples::LmSamples(const LmDataConfig& data, const TextTokenizer& tokenizer, std::int64_t count,
                     const CausalLm& model, Backend& backend)
    : tokenizer_(tokenizer),
      model_(model),
      backend_(backend),
      length_(std::min(kTokens, model.config().max_positions / 2)) {
  if (count == 0 || length_ == 0) {
    return;
  }
  DocumentReader reader({data.valid}, data.documents);
  std::vector<std::int32_t> ids;
  for (DocumentReader::Part part;
       reader.next(part) && static_cast<std::int64_t>(ids.size()) < 2 * length_ * count;) {
    tokenizer.encode(part.text, ids);
  }
  const std::span<const std::int32_t> all(ids);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::size_t>(2 * length_ * i);
    const auto length = static_cast<std::size_t>(length_);
    if (begin + 2 * length <= all.size()) {
      const auto prompt = all.subspan(begin, length);
      samples_.push_back({{prompt.begin(), prompt.end()},
                          tokenizer.decode(prompt),
                          tokenizer.decode(all.subspan(begin + length, length))});
    }
  }
}

std::vector<std::int32_t> LmSamples::continued(const std::vector<std::int32_t>& prompt) {
  Region region(backend_, kRegion);
  AttentionCache cache(region, {.rows = 1, .steps = 2 * length_});
  std::vector<std::int32_t> ids = prompt;
  const std::vector<std::int32_t> row{0};
  for (std::int64_t step = 0; step + 1 < 2 * length_; ++step) {
    Context c{.region = region, .cache = &cache};
    cache.begin_step(row, row);
    Tensor newest(region, DType::i32, Shape{1});
    newest.upload(std::vector<std::int32_t>{ids[static_cast<std::size_t>(step)]});
    const Ragged state =
        model_.decode({newest, make_step_layout(1, step, region)}, {}, c);  // [1, d_model]
    if (step + 1 < static_cast<std::int64_t>(ids.size())) {
      continue;
    }
    const std::vector<float> logits = model_.logits(state.values, c).to_vector<float>();
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ids.push_back(static_cast<std::int32_t>(best));
  }
  return {ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()), ids.end()};
}

SamplesReport LmSamples::run() {
  SamplesReport report;
  for (const Sample& sample : samples_) {
    report.samples.push_back({.input = sample.input,
                              .expected = sample.expected,
                              .output = tokenizer_.decode(continued(sample.prompt))});
  }
  return report;
}

}  // namespace yona
