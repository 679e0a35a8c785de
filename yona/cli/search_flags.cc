#include "yona/cli/search_flags.h"

#include <optional>

#include "yona/base/error.h"
#include "yona/decode/search_options.h"

namespace yona::cli {

namespace {

constexpr const char* kSearch = "Search";
constexpr const char* kSampling = "Sampling";

void set(std::optional<std::int64_t>& into, const char* flag, const std::string& text,
         const IntegerRange& range) {
  if (!text.empty()) {
    into = integer_value(flag, text, range);
  }
}

void set(double& into, const char* flag, const std::string& text, const NumberRange& range) {
  if (!text.empty()) {
    into = number_value(flag, text, range);
  }
}

void set_sampling(const SearchFlags& flags, TranslateOptions& options) {
  check(flags.sample || (flags.temperature.empty() && flags.top_k.empty() && flags.top_p.empty()),
        "--temperature, --top-k and --top-p are about sampling; add --sample");
  Sampling sampling;
  set(sampling.temperature, "--temperature", flags.temperature, {.open_below = true});
  if (!flags.top_k.empty()) {
    sampling.top_k = integer_value("--top-k", flags.top_k, {0, 1 << 24});
  }
  set(sampling.top_p, "--top-p", flags.top_p, {.most = 1, .open_below = true});
  options.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
  if (flags.sample) {
    options.sampling = sampling;
  }
}

}  // namespace

TranslateOptions translate_options(const SearchFlags& flags) {
  TranslateOptions options;
  if (!flags.mode.empty()) {
    options.beam_mode = word_value("--beam-mode", flags.mode, beam_mode_names());
  }
  set(options.beam, "--beam", flags.beam, {1, 1024});
  if (!flags.n_best.empty()) {
    options.n_best = integer_value("--n-best", flags.n_best, {1, 1024});
  }
  if (!flags.length_penalty.empty()) {
    options.length_penalty = number_value("--length-penalty", flags.length_penalty, {-10, 10});
  }
  set(options.min_length, "--min-length", flags.min_length, {0, 1 << 20});
  set(options.no_repeat_ngram, "--no-repeat-ngram", flags.no_repeat_ngram, {0, 1000});
  set(options.max_length, "--max-length", flags.max_length, {1, 1 << 20});
  check(!options.min_length || !options.max_length || *options.min_length <= *options.max_length,
        "--min-length: {} is more than --max-length {}", options.min_length.value_or(0),
        options.max_length.value_or(0));
  set_sampling(flags, options);
  return options;
}

void check_search(const SearchFlags& flags, const DecodeOptions& options) {
  check(flags.sample || flags.n_best.empty() || options.n_best <= options.beam,
        "--n-best: {} hypotheses are asked of a beam of {}; a larger --beam has more",
        options.n_best, options.beam);
  check_options(options);
}

DecodeOptions options_of(const SearchFlags& flags) {
  const TranslateOptions asked = translate_options(flags);
  const BeamMode mode = asked.beam_mode.empty() ? BeamMode::paper : beam_mode(asked.beam_mode);
  DecodeOptions options = with_asked(DecodeOptions::for_mode(mode), asked);
  check_search(flags, options);
  return options;
}

void add_search_flags(CLI::App& app, SearchFlags& flags) {
  add_text(app, flags.mode,
           {"--beam-mode", "NAME",
            "search and score exactly as paper, huggingface, ctranslate2, marian or fairseq "
            "(default: paper "
            "for models of yona, generation_config.json's for others)",
            kSearch});
  add_text(app, flags.beam,
           {"--beam", "N", "hypotheses kept at each step (default 4); 1 is greedy", kSearch});
  add_text(app, flags.length_penalty,
           {"--length-penalty", "A", "above 0 favours longer outputs (default 0.6)", kSearch});
  add_text(app, flags.min_length, {"--min-length", "N", "shortest output in tokens", kSearch});
  add_text(
      app, flags.max_length,
      {"--max-length", "N", "longest output in tokens (default: source tokens + 50)", kSearch});
  add_text(
      app, flags.no_repeat_ngram,
      {"--no-repeat-ngram", "N", "no n-gram of N tokens occurs twice (default: off)", kSearch});
}

void add_output_flags(CLI::App& app, SearchFlags& flags) {
  add_text(app, flags.n_best,
           {"--n-best", "N", "the N best of each line: `0 ||| text ||| F0= … ||| score`", kSearch});
  add_switch(app, flags.sample,
             {"--sample", "", "sample each token instead of searching", kSampling});
  add_text(app, flags.temperature,
           {"--temperature", "T",
            "below 1 sharpens the distribution, above 1 flattens it (default 1)", kSampling});
  add_text(app, flags.top_k,
           {"--top-k", "N", "draw among the N most probable tokens (default: all)", kSampling});
  add_text(
      app, flags.top_p,
      {"--top-p", "P", "draw among the most probable tokens that sum to P (default 1)", kSampling});
  add_text(app, flags.seed, {"--seed", "N", "random seed (default 1)", kSampling});
}

}  // namespace yona::cli
