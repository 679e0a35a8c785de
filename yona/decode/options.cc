#include "yona/decode/options.h"

#include <array>
#include <cmath>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr std::array kModes{std::pair{BeamMode::paper, std::string_view("paper")},
                            std::pair{BeamMode::huggingface, std::string_view("huggingface")},
                            std::pair{BeamMode::ctranslate2, std::string_view("ctranslate2")},
                            std::pair{BeamMode::marian, std::string_view("marian")},
                            std::pair{BeamMode::fairseq, std::string_view("fairseq")}};

void check_sampling(const SamplingOptions& sampling) {
  check(sampling.temperature > 0 && std::isfinite(sampling.temperature),
        "sampling: a temperature of {} is not above 0", sampling.temperature);
  check(sampling.top_k >= 0, "sampling: top-k {} is negative; 0 takes all tokens", sampling.top_k);
  check(sampling.top_p > 0 && sampling.top_p <= 1, "sampling: top-p {} is not in (0, 1]",
        sampling.top_p);
}

}  // namespace

DecodeOptions DecodeOptions::for_mode(BeamMode mode) {
  DecodeOptions options;
  options.mode = mode;
  switch (mode) {
    case BeamMode::paper:
      break;
    case BeamMode::huggingface:
      options.length_penalty = 1.0;
      options.limit = {.factor = 0, .extra = 511};  // its 512 count the first input
      options.force_end = true;
      break;
    case BeamMode::ctranslate2:
      options.beam = 2;
      options.length_penalty = 1.0;
      options.limit = {.factor = 0, .extra = 256};
      options.min_length = 1;
      break;
    case BeamMode::marian:
      options.beam = 12;
      options.length_penalty = 0.0;
      options.limit = {.factor = 3, .extra = 0};
      options.suppress_unknown = true;
      break;
    case BeamMode::fairseq:
      options.beam = 5;
      options.length_penalty = 1.0;
      options.limit = {.factor = 0, .extra = 201};
      options.min_length = 1;
      options.ensemble = EnsembleMean::probabilities;
      break;
  }
  return options;
}

void check_options(const DecodeOptions& options) {
  check(options.beam >= 1 && options.beam <= 1 << 16, "beam: {} is not between 1 and 65536",
        options.beam);
  check(options.n_best >= 1, "n-best: {} is below 1", options.n_best);
  check(options.sampling.on || options.n_best <= options.beam,
        "n-best: {} hypotheses need a beam of as many; it is {}", options.n_best, options.beam);
  check(std::isfinite(options.length_penalty), "length penalty: {} is not a number",
        options.length_penalty);
  check(std::isfinite(options.word_penalty), "word penalty: {} is not a number",
        options.word_penalty);
  check(options.patience > 0 && std::isfinite(options.patience), "patience: {} is not above 0",
        options.patience);
  check(options.limit.factor >= 0 && std::isfinite(options.limit.factor),
        "maximum length: a factor of {} is negative", options.limit.factor);
  check(options.limit.factor > 0 || options.limit.extra >= 0, "maximum length: {} is negative",
        options.limit.extra);
  check(options.min_length >= 0, "minimum length: {} is negative", options.min_length);
  check(options.no_repeat_ngram >= 0, "no-repeat n-gram: {} is negative", options.no_repeat_ngram);
  if (options.sampling.on) {
    check_sampling(options.sampling);
  }
}

std::string_view name_of(BeamMode mode) {
  for (const auto& [candidate, name] : kModes) {
    if (candidate == mode) {
      return name;
    }
  }
  fail("beam mode: {} has no name", static_cast<int>(mode));
}

BeamMode beam_mode(std::string_view name) {
  for (const auto& [mode, candidate] : kModes) {
    if (candidate == name) {
      return mode;
    }
  }
  fail("beam mode: '{}' is unknown; use {}", name, fmt::join(beam_mode_names(), ", "));
}

std::vector<std::string> beam_mode_names() {
  std::vector<std::string> names;
  names.reserve(kModes.size());
  for (const auto& entry : kModes) {
    names.emplace_back(entry.second);
  }
  return names;
}

}  // namespace yona
