#include "yona/generate/generator.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/decode/models.h"
#include "yona/decode/stepper.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/screened_matmul.h"
#include "yona/tensor/ops/top_k.h"
#include "yona/tensor/packed_weights.h"

namespace yona {

namespace {

constexpr std::int64_t kMostCacheTokens = 65536;
constexpr std::int64_t kMostStops = 64;
constexpr std::int64_t kMostLogprobs = 100;
// Steps with more prompt tokens are not faster, and delay running answers.
constexpr std::int64_t kHostPrefill = 512;
constexpr std::int64_t kDevicePrefill = 16384;
// Shorter common prefixes are not worth a copy.
constexpr std::int64_t kLeastReused = 16;

template <class T>
Tensor uploaded(const std::vector<T>& values, Region& region) {
  Tensor tensor(region, dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())});
  tensor.upload(values);
  return tensor;
}

}  // namespace

std::int64_t cache_tokens_of(const GeneratorOptions& options, std::int64_t context) {
  if (options.cache_tokens > 0) {
    return options.cache_tokens;
  }
  return std::max(context, std::min(options.max_batch * context, kMostCacheTokens));
}

Generator::Generator(const SequenceModel& model, Backend& backend, const GeneratorOptions& options)
    : model_(model),
      options_(options),
      cache_region_(backend),
      region_(backend),
      cache_(cache_region_, cache_tokens_of(options, model.shape().max_positions)) {
  check(model.shape().source_vocabulary == 0,
        "generate: this model has an encoder; a decoder alone generates text (use translate)");
  check(options.max_batch > 0 && options.prefill_tokens >= 0,
        "generate: batches of {} answers and {} prompt tokens", options.max_batch,
        options.prefill_tokens);
  if (options_.prefill_tokens == 0) {
    options_.prefill_tokens = backend.wants_large_products() ? kDevicePrefill : kHostPrefill;
  }
  if (ResidentSteps::suits(model, backend)) {
    resident_ = std::make_unique<ResidentSteps>(model, cache_, backend, options_.precision);
  }
  Context c{.region = region_, .precision = options_.precision};
  rounded_ = std::make_unique<RoundedWeights>(model.projection(), c);
}

// --- requests ------------------------------------------------------------------------------

void Generator::check_request(const GenerateRequest& request) const {
  const auto length = static_cast<std::int64_t>(request.prompt.size());
  check(length > 0, "generate: the prompt is empty, and the model has no token to begin with");
  check(
      length < max_positions(),
      "generate: the prompt has {} tokens; the model's context is {}, with at least one new token",
      length, max_positions());
  check(!request.max_new || *request.max_new >= 1,
        "generate: {} new tokens are asked for; at least 1 is needed", request.max_new.value_or(0));
  check(
      !request.max_new || *request.max_new <= max_positions() - length,
      "generate: {} new tokens after a prompt of {} do not fit the model's context of {}; at most "
      "{} do",
      request.max_new.value_or(0), length, max_positions(), max_positions() - length);
  for (const std::int32_t id : request.prompt) {
    check(id >= 0 && id < model_.shape().target_vocabulary,
          "generate: the prompt has the id {}, outside the vocabulary of {} tokens", id,
          model_.shape().target_vocabulary);
  }
  check_token_choice(request.choice, "generate");
  check(request.answers >= 1 && request.answers <= options_.max_batch,
        "generate: {} answers are asked for; between 1 and {} are possible", request.answers,
        options_.max_batch);
  check(static_cast<std::int64_t>(request.stop.size()) <= kMostStops,
        "generate: {} stop strings; at most {} are possible", request.stop.size(), kMostStops);
  check(std::none_of(request.stop.begin(), request.stop.end(),
                     [](const std::string& stop) { return stop.empty(); }),
        "generate: a stop string is empty");
  check(request.top_logprobs <= kMostLogprobs,
        "generate: log-probabilities of the {} best tokens; at most {} are possible",
        request.top_logprobs, kMostLogprobs);
}

std::int64_t Generator::room_for(const GenerateRequest& request) const {
  const std::int64_t room = max_positions() - static_cast<std::int64_t>(request.prompt.size());
  return request.max_new.value_or(room);
}

RequestId Generator::add(GenerateRequest request) {
  check_request(request);
  const std::int64_t max_new = room_for(request);
  const std::int64_t rows =
      request.answers * (static_cast<std::int64_t>(request.prompt.size()) + max_new);
  check(rows <= cache_.rows(),
        "generate: {} answers with {} tokens each do not fit the cache of {} tokens",
        request.answers, rows / request.answers, cache_.rows());
  const RequestId id = next_id_++;
  waiting_.push_back({id, std::make_shared<const GenerateRequest>(std::move(request)), max_new});
  return id;
}

void Generator::remove(RequestId id) {
  std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.id == id; });
  std::erase_if(answers_, [&](const std::unique_ptr<Answer>& answer) {
    if (answer->id() == id) {
      leave(*answer);
    }
    return answer->id() == id;
  });
}

// --- memory --------------------------------------------------------------------------------

// Makes room by forgetting what is kept, the oldest first.
std::optional<std::int64_t> Generator::allocate(std::int64_t rows) {
  std::optional<std::int64_t> first = cache_.allocate(rows);
  while (!first) {
    const std::optional<std::int64_t> oldest = kept_.drop_oldest();
    if (!oldest) {
      break;
    }
    cache_.release(*oldest);
    first = cache_.allocate(rows);
  }
  return first;
}

void Generator::reserve(std::int64_t cache_tokens) {
  check(is_idle(), "generate: the cache cannot grow while {} answers use it", answers_.size());
  if (cache_tokens > cache_.rows()) {
    kept_ = {};
    cache_.reset(cache_tokens);
    if (resident_) {
      resident_->forget();
    }
  }
}

void Generator::join() {
  while (!waiting_.empty() && admit(waiting_.front())) {
    waiting_.pop_front();
  }
}

// All answers of a request join together.
bool Generator::admit(const Waiting& next) {
  const std::int64_t count = next.request->answers;
  if (static_cast<std::int64_t>(answers_.size()) + count > options_.max_batch) {
    return false;
  }
  const std::int64_t rows = static_cast<std::int64_t>(next.request->prompt.size()) + next.max_new;
  std::vector<std::int64_t> segments;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::optional<std::int64_t> first = allocate(rows);
    if (!first) {
      for (const std::int64_t taken : segments) {
        cache_.release(taken);
      }
      return false;
    }
    segments.push_back(*first);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    auto answer = std::make_unique<Answer>(next.id, i, next.request, next.max_new, options_.rules);
    answer->first = segments[static_cast<std::size_t>(i)];
    if (i == 0) {
      reuse_prefix(*answer);
    }
    answers_.push_back(std::move(answer));
  }
  return true;
}

// Copies what an answer under way, or one that has been kept, has computed of the same tokens. At
// least one token is left to compute.
void Generator::reuse_prefix(Answer& answer) {
  if (!options_.keeps_prefixes) {
    return;
  }
  const std::span<const std::int32_t> prompt =
      std::span(answer.tokens()).first(answer.tokens().size() - 1);
  CachedPrefix best = kept_.find(prompt).value_or(CachedPrefix{});
  for (const std::unique_ptr<Answer>& other : answers_) {
    const auto computed = std::span(other->tokens()).first(static_cast<std::size_t>(other->cached));
    const std::int64_t length = common_prefix(computed, prompt);
    if (length > static_cast<std::int64_t>(best.tokens.size())) {
      best = {other->first, computed.first(static_cast<std::size_t>(length))};
    }
  }
  const auto length = static_cast<std::int64_t>(best.tokens.size());
  if (length >= kLeastReused) {
    Context c{.region = region_};
    cache_.copy(best.first, answer.first, length, c);
    answer.cached = length;
    reused_tokens_ += length;
  }
}

void Generator::leave(Answer& answer) {
  if (options_.keeps_prefixes && answer.cached >= kLeastReused) {
    std::vector<std::int32_t> tokens = answer.tokens();
    tokens.resize(static_cast<std::size_t>(answer.cached));
    kept_.keep(answer.first, std::move(tokens));
  } else {
    cache_.release(answer.first);
  }
}

void Generator::drop_all() {
  for (const std::unique_ptr<Answer>& answer : answers_) {
    cache_.release(answer->first);
  }
  answers_.clear();
}

// --- a step --------------------------------------------------------------------------------

// One token of each answer under way, then prompts, up to prefill_tokens of them. Of a request with
// several answers the first alone computes the prompt.
std::vector<Generator::Part> Generator::next_parts() {
  std::vector<Part> parts, prompts;
  std::int64_t left = options_.prefill_tokens;
  for (const std::unique_ptr<Answer>& answer : answers_) {
    if (answer->number() > 0 && answer->cached == 0) {
      continue;  // gets the prompt from the first
    }
    if (answer->pending() == 1) {
      parts.push_back({answer.get(), 1});
    } else if (left > 0) {
      const std::int64_t fresh = std::min(left, answer->pending());
      prompts.push_back({answer.get(), fresh});
      left -= fresh;
    }
  }
  parts.insert(parts.end(), prompts.begin(), prompts.end());
  return parts;
}

Tensor Generator::forward(const std::vector<Part>& parts) {
  std::vector<SequencePart> sequences;
  std::vector<std::int32_t> ids, last_rows;
  for (const Part& part : parts) {
    const Answer& answer = *part.answer;
    const auto begin = answer.tokens().begin() + answer.cached;
    sequences.push_back({.first = answer.first, .cached = answer.cached, .fresh = part.fresh});
    ids.insert(ids.end(), begin, begin + part.fresh);
    if (part.completes()) {
      last_rows.push_back(static_cast<std::int32_t>(ids.size()) - 1);
    }
  }
  Context c{.region = region_, .precision = options_.precision, .cache = &cache_};
  cache_.begin_step(sequences);
  const Tensor states = model_.decode({uploaded(ids, region_), cache_.layout()}, {}, c).values;
  return last_rows.size() == ids.size() || last_rows.empty()
             ? states
             : gather_rows(states, uploaded(last_rows, region_), c);  // [rows, d_model]
}

std::vector<Answer*> Generator::ready(const std::vector<Part>& parts,
                                      std::vector<std::int64_t>& rows) {
  std::vector<Answer*> answers;
  std::int64_t row = 0;
  Context c{.region = region_};
  for (const Part& part : parts) {
    Answer& first = *part.answer;
    const bool completes = part.completes();
    const bool is_prompt = first.tokens().size() == first.request().prompt.size();
    first.cached += part.fresh;
    if (!completes) {
      continue;
    }
    for (const std::unique_ptr<Answer>& answer : answers_) {
      const bool is_other = answer.get() != &first;
      if (is_other && !(is_prompt && answer->id() == first.id())) {
        continue;
      }
      if (is_other) {
        cache_.copy(first.first, answer->first, first.cached, c);
        answer->cached = first.cached;
      }
      answers.push_back(answer.get());
      rows.push_back(row);
    }
    ++row;
  }
  return answers;
}

// Of each row.
std::vector<std::int32_t> Generator::best_tokens(const Tensor& states) {
  constexpr std::int64_t kFewRows = 4;  // more of them wait for arithmetic, not for the memory
  Context c{.region = region_, .precision = options_.precision};
  const std::int64_t count = states.rows();
  std::vector<std::int64_t> groups;
  for (std::int64_t row = 0; row <= count; ++row) {
    groups.push_back(row);
  }
  TopKOptions options;
  options.row_scores = uploaded(std::vector<float>(static_cast<std::size_t>(count), 0.0F), region_);
  options.groups = uploaded(groups, region_);
  const Tensor projection = model_.projection();
  const bool is_plain = model_.shape().plain_projection;
  const PackedWeights* packed = projection.storage()->packed;
  const TopK best = is_plain && projection.storage()->quantised != nullptr
                        ? projected_top_k(states, projection, options, c)
                    : is_plain && count <= kFewRows && packed != nullptr && packed->has_screens()
                        ? top_k(screened_matmul(states, projection, 1, c), options, c)
                        : next_best(states, model_, options, c);
  std::vector<std::int32_t> tokens = best.tokens.to_vector<std::int32_t>();
  const std::vector<float> log_sums = best.log_sums.to_vector<float>();
  check<DeviceError>(
      std::none_of(log_sums.begin(), log_sums.end(), [](float x) { return std::isnan(x); }) &&
          std::all_of(tokens.begin(), tokens.end(), [](std::int32_t id) { return id >= 0; }),
      "generate: the model's outputs are not numbers: its weights are damaged");
  return tokens;
}

std::vector<GeneratedToken> Generator::choose(const Tensor& states,
                                              const std::vector<Answer*>& answers,
                                              const std::vector<std::int64_t>& rows) {
  std::vector<GeneratedToken> generated(answers.size());
  if (std::all_of(answers.begin(), answers.end(),
                  [](const Answer* answer) { return answer->takes_best(); })) {
    const std::vector<std::int32_t> best = best_tokens(states);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      generated[i] = answers[i]->accept({best[static_cast<std::size_t>(rows[i])], 0.0F});
    }
    return generated;
  }
  Context c{.region = region_, .precision = options_.precision};
  const Tensor logits = next_logits(states, model_, c);  // [rows, vocabulary]
  const std::vector<float> values = logits.to_vector<float>();
  const auto choose_one = [&](std::size_t i) {
    const auto row = values.begin() + rows[i] * logits.cols();
    std::vector<float> own(row, row + logits.cols());
    try {
      generated[i] = answers[i]->accept(answers[i]->choose(own));
    } catch (const InvalidArgument& error) {
      generated[i] = answers[i]->fail_with(error.what());
    }
  };
  // Answers that may share a constraint choose one after another.
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]->has_filter() || c.exec().pool == nullptr) {
      choose_one(i);
    }
  }
  if (c.exec().pool != nullptr) {
    c.exec().pool->run(static_cast<std::int64_t>(answers.size()), [&](std::int64_t i) {
      if (!answers[static_cast<std::size_t>(i)]->has_filter()) {
        choose_one(static_cast<std::size_t>(i));
      }
    });
  }
  return generated;
}

// Where all answers have begun and the choice of their tokens is one that the device can make. The
// first to reach its length ends the run; what comes after a text's end is dropped.
std::int64_t Generator::resident_steps(const std::vector<Part>& parts) const {
  std::int64_t steps = ResidentSteps::kMostSteps;
  for (const Part& part : parts) {
    if (!resident_ || part.fresh > 1 || !part.answer->chooses_alone()) {
      return 0;
    }
    steps = std::min(steps, part.answer->left());
  }
  return parts.size() == answers_.size() ? steps : 0;
}

std::vector<GeneratedToken> Generator::run_on_device(const std::vector<Part>& parts,
                                                     std::int64_t steps) {
  std::vector<ResidentRow> rows;
  for (const Part& part : parts) {
    const Answer& answer = *part.answer;
    rows.push_back({.token = answer.tokens().back(),
                    .first = answer.first,
                    .cached = answer.cached,
                    .choice = answer.request().choice});
    for (std::int64_t i = 0; i < steps && answer.request().choice.temperature > 0; ++i) {
      rows.back().numbers.push_back(answer.number_of_draw(i));
    }
  }
  const std::vector<std::int32_t> tokens = resident_->run(rows, steps);
  std::vector<GeneratedToken> generated;
  generated.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Answer& answer = *parts[i % parts.size()].answer;
    if (answer.is_finished()) {
      continue;
    }
    check<DeviceError>(tokens[i] >= 0,
                       "generate: the model's outputs are not numbers: its weights are damaged");
    ++answer.cached;
    generated.push_back(answer.accept({tokens[i], 0.0F}));
  }
  return generated;
}

void Generator::drop_finished() {
  std::erase_if(answers_, [&](const std::unique_ptr<Answer>& answer) {
    if (answer->is_finished()) {
      leave(*answer);
    }
    return answer->is_finished();
  });
}

std::vector<GeneratedToken> Generator::step() {
  join();
  const std::vector<Part> parts = next_parts();
  std::vector<GeneratedToken> generated;
  passes_ = parts.empty() ? 0 : 1;
  if (parts.empty()) {
    return generated;
  }
  try {
    if (const std::int64_t steps = resident_steps(parts); steps > 0) {
      passes_ = steps;
      generated = run_on_device(parts, steps);
      drop_finished();
      return generated;
    }
    const Tensor states = forward(parts);
    std::vector<std::int64_t> rows;
    const std::vector<Answer*> answers = ready(parts, rows);
    if (!answers.empty()) {
      generated = choose(states, answers, rows);
    }
  } catch (...) {
    drop_all();
    throw;
  }
  drop_finished();
  return generated;
}

}  // namespace yona
