// `yona bench train`: the time of a training step of random tokens, as one JSON line.

#include <memory>

#include <fmt/format.h>

#include "yona/cli/commands.h"
#include "yona/train/bench.h"

namespace yona::cli {

namespace {

struct BenchTrainFlags {
  std::string preset = "base";
  std::string norm = "post";
  std::string vocabulary = "37056";
  std::string source_length = "32";
  std::string target_length = "32";
  std::string tokens = "25000";
  std::string precision = "f32";
  std::string steps = "10";
  std::string warmup = "3";
  std::string device = "cpu";
  std::string threads = "0";
  bool ragged = false;
  bool profile = false;
  bool no_measure = false;
};

TrainBenchOptions options_of(const BenchTrainFlags& flags) {
  TrainBenchOptions options;
  options.preset = word_value("--preset", flags.preset, preset_names());
  options.model = preset(options.preset);
  options.model.norm = word_value("--norm", flags.norm, {"post", "pre"}) == "pre"
                           ? NormPosition::pre
                           : NormPosition::post;
  options.model.source_vocabulary = options.model.target_vocabulary =
      integer_value("--vocab-size", flags.vocabulary, {3, 1 << 24});
  options.source_length = integer_value("--src-len", flags.source_length, {1, 1 << 20});
  options.target_length = integer_value("--tgt-len", flags.target_length, {1, 1 << 20});
  options.tokens = integer_value("--tokens", flags.tokens, {1, 1 << 30});
  const std::string precision = word_value("--precision", flags.precision, {"f32", "bf16"});
  options.precision = precision == "bf16" ? Precision::bf16 : Precision::f32;
  options.steps = integer_value("--steps", flags.steps, {1});
  options.warmup = integer_value("--warmup", flags.warmup, {0});
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.ragged = flags.ragged;
  options.profile = flags.profile;
  options.measure = !flags.no_measure;
  return options;
}

int run(const BenchTrainFlags& flags) {
  fmt::print("{}\n", bench_train(options_of(flags)).dump());
  return 0;
}

void add_shape_flags(CLI::App& app, BenchTrainFlags& flags) {
  add_text(app, flags.preset, {"--preset", "NAME", "tiny, iwslt, base (the default) or big"});
  add_text(app, flags.norm, {"--norm", "post|pre", "where norms stand (default post)"});
  add_text(app, flags.vocabulary,
           {"--vocab-size", "N", "pieces of the vocabulary (default 37056)"});
  add_text(app, flags.source_length,
           {"--src-len", "N", "source tokens of a sentence (default 32)"});
  add_text(app, flags.target_length,
           {"--tgt-len", "N", "target tokens of a sentence (default 32)"});
  add_text(app, flags.tokens, {"--tokens", "N", "target tokens of a step (default 25000)"});
  add_switch(app, flags.ragged,
             {"--ragged", "", "sentences of unequal lengths, with these lengths as means"});
}

}  // namespace

Command add_bench_train(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"train", "time a training step of random tokens; prints one JSON line",
              "yona bench train --preset tiny --vocab-size 8000 --tokens 2000\n"
              "yona bench train --preset base --tokens 2000 --precision bf16 --threads 2"});
  const auto flags = std::make_shared<BenchTrainFlags>();
  add_shape_flags(*app, *flags);
  add_text(*app, flags->precision,
           {"--precision", "f32|bf16", "operands of products (default f32)"});
  add_text(*app, flags->steps, {"--steps", "N", "steps that are timed (default 10)"});
  add_text(*app, flags->warmup, {"--warmup", "N", "steps before them (default 3)"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_switch(*app, flags->profile,
             {"--profile", "", "add the milliseconds of each part and kernel"});
  add_switch(*app, flags->no_measure,
             {"--no-measure", "", "on a GPU, take the first choice of algorithm for each product"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
