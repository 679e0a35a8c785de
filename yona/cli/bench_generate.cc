// `yona bench generate`: the speed of text generation, as one JSON line.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/generate/bench.h"

namespace yona::cli {

namespace {

struct BenchGenerateFlags {
  std::string preset = "gpt2-small";
  std::string vocabulary = "50257";
  std::string batch = "1";
  std::string prompt_length = "128";
  std::string new_tokens = "128";
  std::string temperature = "0";
  std::string repetitions = "3";
  std::string device = "cpu";
  std::string compute_type;
  std::string threads = "0";
  bool profile = false;
};

GenerateBenchOptions options_of(const BenchGenerateFlags& flags) {
  GenerateBenchOptions options;
  options.preset = word_value("--preset", flags.preset, causal_lm_preset_names());
  options.config = causal_lm_preset(options.preset);
  options.config.vocabulary = integer_value("--vocab-size", flags.vocabulary, {4, 1 << 24});
  options.batch = integer_value("--batch", flags.batch, {1, 1 << 16});
  options.prompt_length = integer_value("--prompt-len", flags.prompt_length, {1, 1 << 20});
  options.new_tokens = integer_value("--new", flags.new_tokens, {1, 1 << 20});
  options.temperature = number_value("--temperature", flags.temperature, {0.0, 100.0});
  options.repetitions = integer_value("--reps", flags.repetitions, {1});
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  options.type = compute_type(flags.compute_type, options.device);
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.profile = flags.profile;
  options.config.max_positions =
      std::max(options.config.max_positions, options.prompt_length + options.new_tokens);
  return options;
}

int run(const BenchGenerateFlags& flags) {
  fmt::print("{}\n", bench_generate(options_of(flags)).dump());
  return 0;
}

}  // namespace

Command add_bench_generate(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"generate", "time text generation after random prompts; prints one JSON line",
              "yona bench generate --preset gpt2-small --prompt-len 128 --new 128 --threads 1\n"
              "yona bench generate --preset gpt2-small --batch 16 --compute-type int8 --profile"});
  const auto flags = std::make_shared<BenchGenerateFlags>();
  add_text(*app, flags->preset,
           {"--preset", "NAME", "random weights of this shape (default gpt2-small)"});
  add_text(*app, flags->vocabulary, {"--vocab-size", "N", "tokens (default 50257)"});
  add_text(*app, flags->batch, {"--batch", "N", "texts generated together (default 1)"});
  add_text(*app, flags->prompt_length, {"--prompt-len", "N", "tokens of a prompt (default 128)"});
  add_text(*app, flags->new_tokens, {"--new", "N", "new tokens of a text, exactly (default 128)"});
  add_text(*app, flags->temperature,
           {"--temperature", "X", "above 0: tokens are drawn (default 0: the best)"});
  add_text(*app, flags->repetitions, {"--reps", "N", "runs that are timed (default 3)"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_compute_type(*app, flags->compute_type);
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_switch(*app, flags->profile, {"--profile", "", "add the milliseconds of each kernel"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
