// `yona bench train` and `yona bench scaling`: the time of a training step of random tokens, alone
// or of several ranks, as one JSON line.

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "yona/base/thread_pool.h"
#include "yona/cli/commands.h"
#include "yona/parallel/gpus.h"
#include "yona/parallel/nccl.h"
#include "yona/parallel/ranks.h"
#include "yona/tasks/image_classification/train_bench.h"
#include "yona/tasks/language_model/train_bench.h"
#include "yona/tasks/masked_lm/train_bench.h"
#include "yona/tasks/translation/train_bench.h"
#include "yona/train/scaling.h"

namespace yona::cli {

namespace {

struct BenchTrainFlags {
  std::string task = "translation";
  std::string preset;
  std::string length;
  std::string batch;
  std::string dropout = "0";
  std::string norm = "post";
  std::string vocabulary;
  std::string source_length = "32";
  std::string target_length = "32";
  std::string tokens = "25000";
  std::string precision = "f32";
  std::string exchange = "f32";
  std::string steps = "10";
  std::string warmup = "3";
  std::string device = "cpu";
  std::string threads = "0";
  bool ragged = false;
  bool profile = false;
  bool no_measure = false;
};

StepBenchOptions run_options(const BenchTrainFlags& flags) {
  StepBenchOptions options;
  const std::string precision = word_value("--precision", flags.precision, {"f32", "bf16"});
  options.precision = precision == "bf16" ? Precision::bf16 : Precision::f32;
  const std::string exchange = word_value("--exchange", flags.exchange, {"f32", "bf16"});
  options.exchange = exchange == "bf16" ? Precision::bf16 : Precision::f32;
  options.steps = integer_value("--steps", flags.steps, {1});
  options.warmup = integer_value("--warmup", flags.warmup, {0});
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.profile = flags.profile;
  options.measure = !flags.no_measure;
  return options;
}

const std::string& value_or(const std::string& value, const std::string& otherwise) {
  return value.empty() ? otherwise : value;
}

LmTrainBenchOptions lm_options_of(const BenchTrainFlags& flags) {
  LmTrainBenchOptions options;
  options.preset =
      word_value("--preset", value_or(flags.preset, options.preset), causal_lm_preset_names());
  options.model = causal_lm_preset(options.preset);
  options.model.vocabulary =
      integer_value("--vocab-size", value_or(flags.vocabulary, "50304"), {3, 1 << 24});
  options.length = integer_value("--len", value_or(flags.length, "1024"), {2, 1 << 20});
  options.batch = integer_value("--batch", value_or(flags.batch, "24"), {1, 1 << 20});
  options.model.max_positions = std::max(options.model.max_positions, options.length);
  options.model.dropout = options.model.attention_dropout =
      number_value("--dropout", flags.dropout, {0.0, 0.99});
  options.run = run_options(flags);
  return options;
}

MaskedLmBenchOptions masked_lm_options_of(const BenchTrainFlags& flags) {
  MaskedLmBenchOptions options;
  options.preset =
      word_value("--preset", value_or(flags.preset, options.preset), bert_preset_names());
  options.model = bert_preset(options.preset);
  options.model.masked_lm = true;
  options.model.vocabulary =
      integer_value("--vocab-size", value_or(flags.vocabulary, "30592"), {3, 1 << 24});
  options.length = integer_value("--len", value_or(flags.length, "512"), {8, 1 << 20});
  options.batch = integer_value("--batch", value_or(flags.batch, "48"), {1, 1 << 20});
  options.ragged = flags.ragged;
  options.model.max_positions = std::max(options.model.max_positions, 2 * options.length);
  options.model.dropout = options.model.attention_dropout =
      number_value("--dropout", flags.dropout, {0.0, 0.99});
  options.run = run_options(flags);
  return options;
}

ImageBenchOptions image_options_of(const BenchTrainFlags& flags) {
  ImageBenchOptions options;
  options.preset =
      word_value("--preset", value_or(flags.preset, options.preset), vit_preset_names());
  options.model = vit_preset(options.preset);
  options.model.labels = 1000;
  options.batch = integer_value("--batch", value_or(flags.batch, "256"), {1, 1 << 20});
  options.model.dropout = options.model.attention_dropout =
      number_value("--dropout", flags.dropout, {0.0, 0.99});
  options.run = run_options(flags);
  return options;
}

TrainBenchOptions options_of(const BenchTrainFlags& flags) {
  TrainBenchOptions options;
  options.preset = word_value("--preset", value_or(flags.preset, options.preset), preset_names());
  options.model = preset(options.preset);
  options.model.norm = word_value("--norm", flags.norm, {"post", "pre"}) == "pre"
                           ? NormPosition::pre
                           : NormPosition::post;
  options.model.source_vocabulary = options.model.target_vocabulary =
      integer_value("--vocab-size", value_or(flags.vocabulary, "37056"), {3, 1 << 24});
  options.source_length = integer_value("--src-len", flags.source_length, {1, 1 << 20});
  options.target_length = integer_value("--tgt-len", flags.target_length, {1, 1 << 20});
  options.tokens = integer_value("--tokens", flags.tokens, {1, 1 << 30});
  options.ragged = flags.ragged;
  options.run = run_options(flags);
  return options;
}

// Of several ranks each trains on batches of this size.
Json measured(const BenchTrainFlags& flags, Communicator* ranks) {
  const auto with_ranks = [&](auto options) {
    options.run.ranks = ranks;
    if (ranks != nullptr && options.run.threads == 0) {
      options.run.threads = std::max(1, available_cpus() / rank_neighbours(*ranks).on_cpus);
    }
    return options;
  };
  const std::string task = word_value(
      "--task", flags.task, {"translation", "language-model", "masked-lm", "image-classification"});
  if (task == "language-model") {
    return bench_lm_train(with_ranks(lm_options_of(flags)));
  }
  if (task == "masked-lm") {
    return bench_masked_lm_train(with_ranks(masked_lm_options_of(flags)));
  }
  if (task == "image-classification") {
    return bench_image_train(with_ranks(image_options_of(flags)));
  }
  return bench_train(with_ranks(options_of(flags)));
}

int run(const BenchTrainFlags& flags) {
  fmt::print("{}\n", measured(flags, nullptr).dump());
  return 0;
}

int run_scaling(const BenchTrainFlags& flags) {
  Communicator* ranks = join_ranks();
  if (flags.device == "cuda" && ranks != nullptr) {
    take_gpu(*ranks);
    open_nccl(*ranks);
  }
  Json result = measured(flags, ranks);
  const double step = result.value("compute_ms", result.at("ms").get<double>());
  result["expected"] =
      expected_scaling(step / 1e3, result.at("parameters"),
                       flags.exchange == "bf16" ? Precision::bf16 : Precision::f32);
  if (ranks == nullptr || ranks->rank() == 0) {
    fmt::print("{}\n", result.dump());
  }
  return 0;
}

void add_shape_flags(CLI::App& app, BenchTrainFlags& flags) {
  add_text(app, flags.task,
           {"--task", "NAME",
            "translation (the default), language-model, masked-lm or image-classification"});
  add_text(app, flags.preset,
           {"--preset", "NAME",
            "tiny, iwslt, base (the default) or big; with --task language-model gpt2-small (the "
            "default) and others, masked-lm bert-base, image-classification vit-small"});
  add_text(app, flags.norm, {"--norm", "post|pre", "position of the norms (default post)"});
  add_text(app, flags.vocabulary,
           {"--vocab-size", "N",
            "pieces of the vocabulary (default 37056; language-model 50304, masked-lm 30592)"});
  add_text(
      app, flags.length,
      {"--len", "N", "tokens of a text of a language model (default 1024) or masked-lm (512)"});
  add_text(app, flags.batch,
           {"--batch", "N", "texts of a step (default 24, of masked-lm 48), or pictures (256)"});
  add_text(app, flags.dropout, {"--dropout", "P", "of tasks other than translation (default 0)"});
  add_text(app, flags.source_length,
           {"--src-len", "N", "source tokens of a sentence (default 32)"});
  add_text(app, flags.target_length,
           {"--tgt-len", "N", "target tokens of a sentence (default 32)"});
  add_text(app, flags.tokens, {"--tokens", "N", "target tokens of a step (default 25000)"});
  add_switch(app, flags.ragged,
             {"--ragged", "",
              "sentences of unequal lengths, with these lengths as means (translation and "
              "masked-lm)"});
}

void add_step_flags(CLI::App& app, BenchTrainFlags& flags) {
  add_text(app, flags.precision, {"--precision", "f32|bf16", "operands of products (default f32)"});
  add_text(app, flags.steps, {"--steps", "N", "steps that are timed (default 10)"});
  add_text(app, flags.warmup, {"--warmup", "N", "steps before them (default 3)"});
  add_text(app, flags.device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_text(app, flags.threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_switch(app, flags.profile, {"--profile", "", "add the milliseconds of each part and kernel"});
  add_switch(app, flags.no_measure,
             {"--no-measure", "", "on a GPU, take the first choice of algorithm for each product"});
}

}  // namespace

Command add_bench_train(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"train", "time a training step of random tokens; prints one JSON line",
              "yona bench train --preset tiny --vocab-size 8000 --tokens 2000\n"
              "yona bench train --preset base --tokens 2000 --precision bf16 --threads 2"});
  const auto flags = std::make_shared<BenchTrainFlags>();
  add_shape_flags(*app, *flags);
  add_step_flags(*app, *flags);
  return {app, [flags] { return run(*flags); }};
}

Command add_bench_scaling(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"scaling",
              "time a training step of this machine, or of the ranks that mpirun starts, and print "
              "what is to be expected of many GPUs; one JSON line",
              "yona bench scaling --preset tiny --vocab-size 8000 --tokens 2000\n"
              "mpirun -np 2 yona bench scaling --preset tiny --vocab-size 8000 --tokens 2000"});
  const auto flags = std::make_shared<BenchTrainFlags>();
  add_shape_flags(*app, *flags);
  add_step_flags(*app, *flags);
  add_text(*app, flags->exchange,
           {"--exchange", "f32|bf16", "gradients that ranks exchange (default f32)"});
  return {app, [flags] { return run_scaling(*flags); }};
}

}  // namespace yona::cli
