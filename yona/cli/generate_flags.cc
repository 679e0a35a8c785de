#include "yona/cli/generate_flags.h"

#include <fstream>
#include <limits>
#include <sstream>

#include "yona/base/error.h"
#include "yona/cli/bulk.h"
#include "yona/cli/compute_type.h"

namespace yona::cli {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40U;

std::string file_text(const std::string& flag, const std::string& path) {
  require_file(flag, path);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  check<IoError>(file.good() || file.eof(), "{}: {} cannot be read", flag, path);
  return text.str();
}

void add_choice_flags(CLI::App& app, GenerateFlags& flags) {
  const std::string group = "Choice of tokens";
  add_text(app, flags.temperature,
           {"--temperature", "X",
            "0 (the default): always the most probable token; above 0: draw at random", group});
  add_text(app, flags.top_k,
           {"--top-k", "N", "draw among the N most probable tokens (default 0: all)", group});
  add_text(
      app, flags.top_p,
      {"--top-p", "X", "draw among the most probable tokens that sum to X (default 1)", group});
  add_text(app, flags.min_p,
           {"--min-p", "X",
            "draw among tokens at least X times as probable as the best one (default 0)", group});
  add_text(app, flags.repetition_penalty,
           {"--repetition-penalty", "X",
            "above 1: tokens of prompt and answer become less probable (default 1: off)", group});
  add_text(app, flags.presence_penalty,
           {"--presence-penalty", "X",
            "subtracted from logits of tokens that the answer has (default 0)", group});
  add_text(app, flags.frequency_penalty,
           {"--frequency-penalty", "X",
            "subtracted once for each time that the answer has the token (default 0)", group});
  add_text(
      app, flags.beam,
      {"--beam", "N", "beam search with N beams (default 1: none); --n gives the best", group});
  add_text(app, flags.length_penalty,
           {"--length-penalty", "X",
            "with --beam: scores are divided by (new tokens)^X (default 1)", group});
  add_text(app, flags.seed, {"--seed", "N", "random seed (default 1)", group});
  add_text(app, flags.json_schema,
           {"--json-schema", "FILE", "answers are JSON of this schema", group});
  add_text(app, flags.regex, {"--regex", "R", "answers match this regular expression", group});
}

}  // namespace

bool GenerateFlags::has_prompt(const CLI::App& app) const {
  return app.get_option("--prompt")->count() > 0;
}

void add_generate_flags(CLI::App& app, GenerateFlags& flags) {
  add_text(app, flags.model, {"-m,--model", "DIR", "the folder of a language model"});
  add_text(app, flags.prompt, {"-p,--prompt", "TEXT", "what the text begins with"});
  add_text(app, flags.input, {"-i,--input", "FILE", "prompts, one a line; -: standard input"});
  add_text(app, flags.output,
           {"-o,--output", "FILE", "where answers go (default: standard output); .gz, .xz, .zst"});
  add_chunk_lines(app, flags.chunk_lines);
  add_text(app, flags.max_new,
           {"--max-new", "N", "new tokens at most (default 256, or what the context holds)"});
  add_text(app, flags.answers, {"--n", "N", "answers to each prompt (default 1)"});
  add_repeated(app, flags.stop, {"--stop", "TEXT", "ends an answer; may be repeated"});
  add_choice_flags(app, flags);
  add_switch(app, flags.logprobs, {"--logprobs", "", "with log-probabilities of the tokens"});
  add_text(
      app, flags.top_logprobs,
      {"--top-logprobs", "N", "with --json: also of the N most probable tokens at each place"});
  add_switch(app, flags.json,
             {"--json", "", "a JSON object for each answer, with text and tokens"});
  add_text(app, flags.device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_text(app, flags.threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_compute_type(app, flags.compute_type);
}

GenerateOptions options_of(const GenerateFlags& flags) {
  GenerateOptions options;
  if (!flags.max_new.empty()) {
    options.max_new = integer_value("--max-new", flags.max_new, {1, kMost});
  }
  options.answers = integer_value("--n", flags.answers, {1, 1024});
  options.temperature = number_value("--temperature", flags.temperature, {0.0, 100.0});
  options.top_k = integer_value("--top-k", flags.top_k, {0, kMost});
  options.top_p = number_value("--top-p", flags.top_p, {.most = 1.0, .open_below = true});
  options.min_p = number_value("--min-p", flags.min_p, {0.0, 1.0});
  const NumberRange penalties{-1e4, 1e4};
  options.repetition_penalty = number_value("--repetition-penalty", flags.repetition_penalty,
                                            {.most = 1e4, .open_below = true});
  options.presence_penalty = number_value("--presence-penalty", flags.presence_penalty, penalties);
  options.frequency_penalty =
      number_value("--frequency-penalty", flags.frequency_penalty, penalties);
  options.beam = integer_value("--beam", flags.beam, {1, 1024});
  options.length_penalty = number_value("--length-penalty", flags.length_penalty, {-100.0, 100.0});
  check(options.beam == 1 || options.answers <= options.beam,
        "generate: --n is {}; a beam of {} has no more answers than that", options.answers,
        options.beam);
  options.seed = static_cast<std::uint64_t>(
      integer_value("--seed", flags.seed, {0, std::numeric_limits<std::int64_t>::max()}));
  options.stop = flags.stop;
  if (flags.logprobs || !flags.top_logprobs.empty()) {
    options.logprobs = flags.top_logprobs.empty()
                           ? 0
                           : integer_value("--top-logprobs", flags.top_logprobs, {0, 100});
  }
  check(flags.json_schema.empty() || flags.regex.empty(),
        "generate: give --json-schema or --regex, not both");
  if (!flags.json_schema.empty()) {
    options.json_schema = file_text("--json-schema", flags.json_schema);
  }
  options.regex = flags.regex;
  return options;
}

LoadOptions load_options_of(const GenerateFlags& flags) {
  return {
      .device = word_value("--device", flags.device, {"cpu", "cuda"}),
      .threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096})),
      .compute_type = flags.compute_type.empty()
                          ? ""
                          : word_value("--compute-type", flags.compute_type, compute_type_names())};
}

}  // namespace yona::cli
