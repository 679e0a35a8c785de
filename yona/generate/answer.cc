#include "yona/generate/answer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/error.h"
#include "yona/decode/sampling.h"

namespace yona {

namespace {

// log Σ exp(logits)
double log_sum_of(std::span<const float> logits) {
  const float best = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp(double{logit} - best);
  }
  return best + std::log(sum);
}

std::vector<TokenLogprob> best_logprobs(std::span<const float> logits, std::int64_t count,
                                        double log_sum) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + std::min(count, static_cast<std::int64_t>(order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
    const float x = logits[static_cast<std::size_t>(a)];
    const float y = logits[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  });
  std::vector<TokenLogprob> best;
  for (auto token = order.begin(); token != end; ++token) {
    const float logit = logits[static_cast<std::size_t>(*token)];
    best.push_back({*token, static_cast<float>(double{logit} - log_sum)});
  }
  return best;
}

}  // namespace

const char* name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::failed:
      return "error";
  }
  return "";
}

Answer::Answer(RequestId id, std::int64_t number, std::shared_ptr<const GenerateRequest> request,
               std::int64_t max_new, const AnswerRules& rules)
    : id_(id),
      number_(number),
      request_(std::move(request)),
      max_new_(max_new),
      rules_(rules),
      tokens_(request_->prompt),
      seen_(request_->prompt),
      stream_(request_->stop),
      filter_(request_->filter ? request_->filter() : nullptr) {}

bool Answer::chooses_alone() const {
  return !request_->choice.has_penalties() && request_->top_logprobs < 0 && !request_->ignore_end &&
         filter_ == nullptr;
}

bool Answer::takes_best() const { return request_->choice.temperature == 0.0 && chooses_alone(); }

double Answer::number_of_draw(std::int64_t later) const {
  return sample_number(request_->seed, {.request = request_->sequence,
                                        .sample = static_cast<std::uint64_t>(number_),
                                        .step = new_tokens_ + later});
}

bool Answer::is_end(std::int32_t token) const {
  return std::find(rules_.end_ids.begin(), rules_.end_ids.end(), token) != rules_.end_ids.end();
}

void Answer::bar(std::span<float> logits) {
  if (filter_) {
    filter_->bar(logits);
  }
  if (request_->ignore_end) {
    for (const std::int32_t id : rules_.end_ids) {
      logits[static_cast<std::size_t>(id)] = -INFINITY;
    }
  }
}

TokenLogprob Answer::choose(std::span<float> logits) {
  check<DeviceError>(
      std::none_of(logits.begin(), logits.end(), [](float x) { return std::isnan(x); }),
      "generate: the model's outputs are not numbers: its weights are damaged");
  std::vector<float> raw;
  double log_sum = 0;
  if (request_->top_logprobs >= 0) {
    raw.assign(logits.begin(), logits.end());
    log_sum = log_sum_of(raw);
    top_ = best_logprobs(raw, request_->top_logprobs, log_sum);
  }
  if (request_->choice.has_penalties()) {
    apply_penalties(logits, request_->choice, seen_);
  }
  bar(logits);
  const std::int32_t token = choose_token(logits, request_->choice, number_of_draw(0));
  check(token >= 0, "generate: no token can come after {} new ones", new_tokens_);
  return {token, raw.empty()
                     ? 0.0F
                     : static_cast<float>(double{raw[static_cast<std::size_t>(token)]} - log_sum)};
}

GeneratedToken Answer::fail_with(std::string message) {
  is_finished_ = true;
  return {.request = id_,
          .answer = number_,
          .text = stream_.finish(),
          .finish = FinishReason::failed,
          .error = std::move(message)};
}

GeneratedToken Answer::accept(const TokenLogprob& chosen) {
  GeneratedToken result{.request = id_,
                        .answer = number_,
                        .token = chosen.token,
                        .is_end = is_end(chosen.token),
                        .logprob = chosen.logprob,
                        .top = std::move(top_)};
  top_.clear();
  tokens_.push_back(chosen.token);
  if (request_->choice.has_penalties()) {
    seen_.add(chosen.token);
  }
  ++new_tokens_;
  if (filter_) {
    filter_->advance(chosen.token);
  }
  if (!result.is_end && rules_.bytes) {
    result.text = stream_.push(rules_.bytes->at(static_cast<std::size_t>(chosen.token)));
  }
  if (result.is_end || stream_.is_stopped() || (filter_ && filter_->must_end())) {
    result.finish = FinishReason::stop;
  } else if (new_tokens_ >= max_new_) {
    result.finish = FinishReason::length;
  }
  if (result.finish) {
    is_finished_ = true;
    result.text += stream_.finish();
  }
  return result;
}

}  // namespace yona
