// `yona bench translate`: the speed of decoding random sentences, as one JSON line.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/decode/bench.h"
#include "yona/decode/shortlist.h"

namespace yona::cli {

namespace {

struct BenchTranslateFlags {
  std::string model;
  std::string preset = "base";
  std::string vocabulary = "37056";
  std::string batch = "32";
  std::string sentences;
  std::string beam = "4";
  std::string source_length = "32";
  std::string new_tokens = "32";
  std::string repetitions = "3";
  std::string device = "cpu";
  std::string compute_type;
  std::string threads = "0";
  std::string shortlist;
  bool profile = false;
  bool measure = false;
};

TranslateBenchOptions options_of(const BenchTranslateFlags& flags) {
  TranslateBenchOptions options;
  if (!flags.model.empty()) {
    require_folder("--model", flags.model);
  }
  options.model = flags.model;
  options.preset = word_value("--preset", flags.preset, preset_names());
  options.config = preset(options.preset);
  options.config.source_vocabulary = options.config.target_vocabulary =
      integer_value("--vocab-size", flags.vocabulary, {4, 1 << 24});
  options.batch = integer_value("--batch", flags.batch, {1, 1 << 20});
  options.sentences = flags.sentences.empty()
                          ? options.batch
                          : integer_value("--sentences", flags.sentences, {1, 1 << 24});
  options.beam = integer_value("--beam", flags.beam, {1, 1 << 16});
  options.source_length = integer_value("--src-len", flags.source_length, {1, 1 << 20});
  options.new_tokens = integer_value("--new", flags.new_tokens, {1, 1 << 20});
  options.repetitions = integer_value("--reps", flags.repetitions, {1});
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  const ComputeType type = compute_type(flags.compute_type, options.device);
  options.precision = type.precision;
  options.packing = type.packing_of(options.model);
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.profile = flags.profile;
  options.measure = flags.measure;
  if (!flags.shortlist.empty()) {
    require_file("--shortlist", flags.shortlist);
    options.shortlist = std::make_shared<Shortlist>(Shortlist::load(flags.shortlist));
  }
  const std::int64_t longest = std::max(options.source_length, options.new_tokens);
  options.config.max_positions = std::max(options.config.max_positions, longest);
  return options;
}

int run(const BenchTranslateFlags& flags) {
  fmt::print("{}\n", bench_translate(options_of(flags)).dump());
  return 0;
}

}  // namespace

Command add_bench_translate(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"translate", "time the decoding of random sentences; prints one JSON line",
              "yona bench translate --preset base --batch 1 --beam 1 --threads 1\n"
              "yona bench translate --preset base --batch 512 --device cuda --compute-type bf16\n"
              "yona bench translate --model my-model --batch 32 --beam 4 --profile"});
  const auto flags = std::make_shared<BenchTranslateFlags>();
  add_text(*app, flags->model, {"-m,--model", "DIR", "a model folder (default: random weights)"});
  add_text(*app, flags->preset, {"--preset", "NAME", "tiny, iwslt, base (the default) or big"});
  add_text(*app, flags->vocabulary,
           {"--vocab-size", "N", "pieces of the vocabulary (default 37056)"});
  add_text(*app, flags->batch, {"--batch", "N", "sentences decoded together (default 32)"});
  add_text(*app, flags->sentences, {"--sentences", "N", "sentences in all (default: one batch)"});
  add_text(*app, flags->beam, {"--beam", "N", "1 is greedy (default 4)"});
  add_text(*app, flags->source_length,
           {"--src-len", "N", "source tokens of a sentence (default 32)"});
  add_text(*app, flags->new_tokens,
           {"--new", "N", "output tokens of a sentence, exactly (default 32)"});
  add_text(*app, flags->repetitions, {"--reps", "N", "runs that are timed (default 3)"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_compute_type(*app, flags->compute_type);
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_text(*app, flags->shortlist,
           {"--shortlist", "FILE", "of `yona shortlist`: decode with a part of the output layer"});
  add_switch(*app, flags->profile, {"--profile", "", "add the milliseconds of each kernel"});
  add_switch(*app, flags->measure,
             {"--measure", "", "on a GPU, time the algorithms of products and keep the fastest"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
