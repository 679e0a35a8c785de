// `yona demo`: the built-in task in five steps, each as a user would do it by hand: write text
// files (with --text-only that is all), train on them, test the model on combinations that it never
// saw, let the user try it with the attention under each answer, and serve it with its page.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "yona/api/model.h"
#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/exit_codes.h"
#include "yona/cli/stop_signals.h"
#include "yona/data/builtin/generator.h"
#include "yona/inspect/html.h"
#include "yona/inspect/terminal.h"
#include "yona/io/atomic_file.h"
#include "yona/tasks/train.h"
#include "yona/tasks/translation/translation_scorer.h"
#include "yona/train/progress.h"

namespace yona::cli {

namespace {

constexpr int kTrainingPairs = 60000;
constexpr int kValidationPairs = 500;
constexpr int kTestPairs = 1000;
// 256 bytes, 64 reserved for tags and about 400 that the text makes: few enough that no whole
// number becomes a piece, so that the parts are learnt.
constexpr int kPieces = 724;
constexpr std::int64_t kUpdates = 1200;

struct DemoOptions {
  std::string source = "en";
  std::string target = "de";
  std::filesystem::path output;
  std::int64_t updates = kUpdates;
  std::uint64_t seed = 1;
  int threads = 0;
  bool text_only = false;
};

using Pair = std::pair<std::string, std::string>;

std::vector<std::string> language_codes() {
  std::vector<std::string> codes;
  for (const auto code : builtin::languages()) {
    codes.emplace_back(code);
  }
  return codes;
}

std::vector<Pair> draw_pairs(const DemoOptions& options, builtin::Split split, std::uint64_t seed,
                             int count) {
  builtin::Generator generator(
      {.source = options.source, .target = options.target, .variants = true, .seed = seed}, split);
  std::vector<Pair> pairs;
  std::generate_n(std::back_inserter(pairs), count, [&] { return generator.next_pair(); });
  return pairs;
}

void write_lines(const std::filesystem::path& path, const std::vector<Pair>& pairs,
                 std::string Pair::*side) {
  std::ofstream file(path);
  for (const Pair& pair : pairs) {
    file << pair.*side << '\n';
  }
  file.flush();
  check<IoError>(file.good(), "{}: cannot be written", path.string());
}

void write_corpus(const std::filesystem::path& folder, const std::string& name,
                  const DemoOptions& options, const std::vector<Pair>& pairs) {
  write_lines(folder / (name + "." + options.source), pairs, &Pair::first);
  write_lines(folder / (name + "." + options.target), pairs, &Pair::second);
}

// The folder that was asked for, which must not hold a demo already, or a new one in the temporary
// directory, whose name cannot be guessed.
std::filesystem::path demo_folder(const DemoOptions& options) {
  std::error_code error;
  if (!options.output.empty()) {
    check(!std::filesystem::exists(options.output / "model", error),
          "demo: {} already exists; choose another --output, or remove it",
          (options.output / "model").string());
    std::filesystem::create_directories(options.output, error);
    check<IoError>(!error, "{}: cannot make the output folder: {}", options.output.string(),
                   error.message());
    return options.output;
  }
  std::string pattern = (std::filesystem::temp_directory_path(error) / "yona-demo-XXXXXX").string();
  check<IoError>(!error && ::mkdtemp(pattern.data()) != nullptr,
                 "demo: cannot make a folder like {}; name one with --output", pattern);
  return pattern;
}

// A small model: the paper's, with fewer and narrower layers, and a schedule that ends.
RunConfig demo_config(const DemoOptions& options, const std::filesystem::path& folder) {
  RunConfig config;
  config.preset = "tiny";
  config.model = preset("tiny");
  config.model.encoder_layers = config.model.decoder_layers = 3;
  config.model.dropout = 0.1;
  CorpusSpec corpus;
  corpus.source_files = {folder / ("train." + options.source)};
  corpus.target_files = {folder / ("train." + options.target)};
  config.data.corpora = {corpus};
  config.data.valid = {{.name = "valid",
                        .source = folder / ("valid." + options.source),
                        .target = folder / ("valid." + options.target)}};
  config.data.source_language = options.source;
  config.data.target_language = options.target;
  config.data.vocabulary_size = kPieces;
  config.train.updates = options.updates;
  config.train.batch_tokens = 2048;
  config.train.schedule = {.kind = ScheduleKind::linear, .rate = 2e-3, .warmup = 200};
  config.train.valid_every = config.train.save_every = (config.train.updates + 2) / 3;
  config.train.seed = options.seed;
  return config;
}

std::vector<std::string> sides(const std::vector<Pair>& pairs, std::string Pair::*side) {
  std::vector<std::string> lines;
  lines.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    lines.push_back(pair.*side);
  }
  return lines;
}

// As `yona score` would count.
double score_of(const std::string& metric, const std::string& language,
                const std::vector<Pair>& pairs, const std::vector<std::string>& outputs) {
  const std::unique_ptr<Metric> counter = validation_metric(metric, language);
  References references(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    references[i] = {pairs[i].second};
  }
  return counter->score(corpus_statistics(*counter, outputs, references).sums()).value;
}

void show_score(const std::vector<Pair>& pairs, const std::vector<std::string>& outputs,
                const std::string& language) {
  int exact = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    exact += outputs[i] == pairs[i].second ? 1 : 0;
  }
  std::cout << fmt::format(
      "\nexact match on {} inputs with combinations never seen in training: "
      "{:.1f} %; BLEU {:.1f}, chrF {:.1f}\n\n",
      pairs.size(), 100.0 * exact / static_cast<double>(pairs.size()),
      score_of("bleu", language, pairs, outputs), score_of("chrf", language, pairs, outputs));
  for (std::size_t i = 0; i < std::min<std::size_t>(8, pairs.size()); ++i) {
    const bool right = outputs[i] == pairs[i].second;
    std::cout << fmt::format("  {} → {}{}\n", pairs[i].first, outputs[i],
                             right ? "" : fmt::format("   (expected: {})", pairs[i].second));
  }
  std::cout << std::flush;
}

// The mean cross attention of the last layer: which words of the input each word came from.
void show_attention(const Model& model, const std::string& line) {
  const AttentionMaps maps = model.attention(line);
  std::cout << maps.target << "\n\n";
  HeatMap map = heat_maps(maps, {.part = AttentionPart::cross,
                                 .layer = maps.layers(AttentionPart::cross) - 1,
                                 .heads = AttentionChoice::Heads::mean})
                    .front();
  map.title.clear();
  std::cout << draw_terminal(map, terminal_style(STDOUT_FILENO)) << '\n';
}

// A page with the attention of every head, for the first sentence of the test.
void write_page(const Model& model, const std::string& line, const std::filesystem::path& folder) {
  const std::filesystem::path page = folder / "attention.html";
  replace_file(page, attention_page(model.attention(line)));
  std::cout << fmt::format("\nWhat every head looked at, to open in a browser: {}\n",
                           page.string());
}

void ask(const Model& model, const DemoOptions& options) {
  std::cout << fmt::format(
      "\nType a number, price, time or date in words ({}), or an empty line to end:\n",
      options.source);
  std::string line;
  while (std::cout << "> " << std::flush && std::getline(std::cin, line) && !line.empty()) {
    try {
      show_attention(model, line);
    } catch (const Error& error) {
      std::cout << error.what() << '\n';
    }
  }
}

void show_next_step(const DemoOptions& options) {
  std::cout << fmt::format(
      "\nWith your own text, one sentence per line in two files:\n"
      "  yona train --train-src train.{0} --train-tgt train.{1} --valid-src valid.{0} "
      "--valid-tgt valid.{1} --src-lang {0} --tgt-lang {1} --preset tiny --output my-model\n",
      options.source, options.target);
}

// The page of the server; asks whether to open it where someone is there to answer.
bool wants_page(const std::filesystem::path& folder, bool can_ask) {
  std::cout << fmt::format(
      "\nIn a browser: translations as you type, every head, the beam, and the Transformer "
      "explained:\n  yona serve --model {}\n",
      (folder / "model").string());
  if (!can_ask) {
    return false;
  }
  std::cout << "Start it now? [Y/n] " << std::flush;
  std::string answer;
  return static_cast<bool>(std::getline(std::cin, answer)) &&
         (answer.empty() || answer.front() == 'y' || answer.front() == 'Y');
}

void write_corpora(const DemoOptions& options, const std::filesystem::path& folder,
                   const std::vector<Pair>& test) {
  write_corpus(folder, "train", options,
               draw_pairs(options, builtin::Split::train, options.seed + 2, kTrainingPairs));
  write_corpus(folder, "valid", options,
               draw_pairs(options, builtin::Split::test, 1, kValidationPairs));
  write_corpus(folder, "test", options, test);
}

TrainResult train_demo(const DemoOptions& options, const std::filesystem::path& folder) {
  const std::unique_ptr<Reporter> reporter = make_reporter(ProgressStyle::bar, 100);
  const StopSignals signals;
  return train(demo_config(options, folder), {.output = folder / "model",
                                              .init = {},
                                              .threads = options.threads,
                                              .reporter = reporter.get(),
                                              .stop = &signals.stop()});
}

// Scores the model and lets the user try it.
void try_model(const DemoOptions& options, const std::filesystem::path& folder,
               const std::vector<Pair>& test, bool can_ask) {
  const Model model = Model::load(folder / "model", {.threads = options.threads});
  show_score(test, model.translate(sides(test, &Pair::first)), options.target);
  write_page(model, test.front().first, folder);
  show_next_step(options);
  if (can_ask) {
    ask(model, options);
  }
}

int run(const DemoOptions& options) {
  const std::filesystem::path folder = demo_folder(options);
  const std::vector<Pair> test = draw_pairs(options, builtin::Split::test, 2, kTestPairs);
  write_corpora(options, folder, test);
  if (options.text_only) {
    log().info("{} training, {} validation and {} test pairs, {} → {}, are in {}", kTrainingPairs,
               kValidationPairs, kTestPairs, options.source, options.target, folder.string());
    return 0;
  }
  log().info(
      "training {} → {} on numbers, prices, times and dates in words: about two minutes "
      "on two cores; files are in {}",
      options.source, options.target, folder.string());
  if (train_demo(options, folder).interrupted) {
    return kInterrupted;
  }
  const bool can_ask = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  try_model(options, folder, test, can_ask);
  return wants_page(folder, can_ask) ? serve_model(folder / "model") : 0;
}

struct DemoFlags {
  std::string source = "en";
  std::string target = "de";
  std::string output, updates, seed = "1", threads = "0";
  bool text_only = false;
};

DemoOptions options_of(const DemoFlags& flags) {
  DemoOptions options;
  options.source = word_value("--src-lang", flags.source, language_codes());
  options.target = word_value("--tgt-lang", flags.target, language_codes());
  options.output = flags.output;
  if (!flags.updates.empty()) {
    options.updates = integer_value("--updates", flags.updates, {1});
  }
  options.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.text_only = flags.text_only;
  return options;
}

}  // namespace

Command add_demo(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"demo", "train on built-in data, score the model and try it: a few minutes",
                "yona demo\nyona demo --src-lang fr --tgt-lang zh"});
  const auto flags = std::make_shared<DemoFlags>();
  add_text(*app, flags->source, {"--src-lang", "CODE", "from: de, en, es, fr, it or zh (en)"});
  add_text(*app, flags->target, {"--tgt-lang", "CODE", "to (de)"});
  add_text(*app, flags->output, {"-o,--output", "DIR", "folder for the text files and the model"});
  add_text(*app, flags->updates, {"--updates", "N", "number of training updates (default 1200)"});
  add_text(*app, flags->seed,
           {"--seed", "N", "seed of the training text and the training (default 1)"});
  add_text(*app, flags->threads, {"--threads", "N", "number of threads (default: all)"});
  add_switch(*app, flags->text_only,
             {"--text-only", "", "write the text files and stop: train, valid and test, two each"});
  return {app, [flags] { return run(options_of(*flags)); }};
}

}  // namespace yona::cli
