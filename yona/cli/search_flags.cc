#include "yona/cli/search_flags.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona::cli {

namespace {

constexpr const char* kSearch = "Search";
constexpr const char* kSampling = "Sampling";

void set(std::int64_t& into, const char* flag, const std::string& text, const IntegerRange& range) {
  if (!text.empty()) {
    into = integer_value(flag, text, range);
  }
}

void set(double& into, const char* flag, const std::string& text, const NumberRange& range) {
  if (!text.empty()) {
    into = number_value(flag, text, range);
  }
}

void set_sampling(const SearchFlags& flags, SamplingOptions& sampling) {
  sampling.on = flags.sample;
  check(flags.sample || (flags.temperature.empty() && flags.top_k.empty() && flags.top_p.empty()),
        "--temperature, --top-k and --top-p are about sampling; add --sample");
  set(sampling.temperature, "--temperature", flags.temperature, {.open_below = true});
  set(sampling.top_k, "--top-k", flags.top_k, {0, 1 << 24});
  set(sampling.top_p, "--top-p", flags.top_p, {.most = 1, .open_below = true});
  sampling.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
}

// What is typed, over the defaults given.
DecodeOptions with_flags(const SearchFlags& flags, DecodeOptions options) {
  set(options.beam, "--beam", flags.beam, {1, 1024});
  set(options.n_best, "--n-best", flags.n_best, {1, 1024});
  set(options.length_penalty, "--length-penalty", flags.length_penalty, {-10, 10});
  set(options.min_length, "--min-length", flags.min_length, {0, 1 << 20});
  set(options.no_repeat_ngram, "--no-repeat-ngram", flags.no_repeat_ngram, {0, 1000});
  if (!flags.max_length.empty()) {
    options.limit = {.factor = 0,
                     .extra = integer_value("--max-length", flags.max_length, {1, 1 << 20})};
  }
  check(flags.min_length.empty() || flags.max_length.empty() ||
            options.min_length <= options.limit.extra,
        "--min-length: {} is more than --max-length {}", options.min_length, options.limit.extra);
  set_sampling(flags, options.sampling);
  check(flags.sample || flags.n_best.empty() || options.n_best <= options.beam,
        "--n-best: {} hypotheses are asked of a beam of {}; a larger --beam has more",
        options.n_best, options.beam);
  check_options(options);
  return options;
}

BeamMode mode_of(const SearchFlags& flags) {
  return beam_mode(word_value("--beam-mode", flags.mode, beam_mode_names()));
}

}  // namespace

DecodeOptions options_of(const SearchFlags& flags) {
  return with_flags(flags,
                    DecodeOptions::for_mode(flags.mode.empty() ? BeamMode::paper : mode_of(flags)));
}

DecodeOptions options_of(const SearchFlags& flags, const std::filesystem::path& folder,
                         const ModelInfo& info) {
  return with_flags(flags, flags.mode.empty() ? folder_options(folder, info)
                                              : folder_options(folder, info, mode_of(flags)));
}

void add_search_flags(CLI::App& app, SearchFlags& flags) {
  add_text(app, flags.mode,
           {"--beam-mode", "NAME",
            "whose search, to the digit: paper, huggingface, ctranslate2, marian or fairseq "
            "(default: paper "
            "for models of yona, generation_config.json's for others)",
            kSearch});
  add_text(app, flags.beam,
           {"--beam", "N", "hypotheses kept at each step (default 4); 1 is greedy", kSearch});
  add_text(app, flags.length_penalty,
           {"--length-penalty", "A", "above 0 favours longer outputs (default 0.6)", kSearch});
  add_text(app, flags.min_length, {"--min-length", "N", "tokens at least", kSearch});
  add_text(app, flags.max_length,
           {"--max-length", "N", "tokens at most (default: source tokens + 50)", kSearch});
  add_text(
      app, flags.no_repeat_ngram,
      {"--no-repeat-ngram", "N", "no N tokens in a row come twice (default: they may)", kSearch});
}

void add_output_flags(CLI::App& app, SearchFlags& flags) {
  add_text(app, flags.n_best,
           {"--n-best", "N", "the N best of each line: `0 ||| text ||| F0= … ||| score`", kSearch});
  add_switch(app, flags.sample,
             {"--sample", "", "draw each next token instead of searching", kSampling});
  add_text(app, flags.temperature,
           {"--temperature", "T", "below 1 is more careful, above 1 more daring (default 1)",
            kSampling});
  add_text(app, flags.top_k, {"--top-k", "N", "draw among the N best (default: all)", kSampling});
  add_text(app, flags.top_p,
           {"--top-p", "P", "draw among the best that have P of the probability (default 1)",
            kSampling});
  add_text(app, flags.seed, {"--seed", "N", "another seed, another draw (default 1)", kSampling});
}

}  // namespace yona::cli
