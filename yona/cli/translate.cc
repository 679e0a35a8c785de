// `yona translate`: lines in, translations out, in order.

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/api/model.h"
#include "yona/api/model_runtime.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/cli/bulk.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/cli/translate_flags.h"
#include "yona/cli/translation_input.h"
#include "yona/cli/worker_backends.h"
#include "yona/decode/languages.h"
#include "yona/decode/translation_format.h"
#include "yona/decode/translation_progress.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

Model load_model(const TranslateFlags& flags, const ComputeType& type) {
  const std::vector<fs::path> folders = path_list(flags.models);
  for (const fs::path& folder : folders) {
    std::error_code error;
    check(!fs::is_regular_file(folder, error),
          "--model: {}: is a file, not a folder; a text to translate is named by --input",
          folder.string());
    require_folder("--model", folder);
  }
  return Model(std::make_unique<ModelRuntime>(
      folders, worker_choice(flags.workers),
      ModelSetOptions{.type = type,
                      .languages = {flags.source_language, flags.target_language},
                      .shortlist = flags.shortlist}));
}

const char* arithmetic_of(const TranslationModel& model, Precision precision) {
  return model.quantised() != nullptr   ? "int8"
         : precision == Precision::bf16 ? "bf16"
         : precision == Precision::f16  ? "f16"
                                        : "f32";
}

void report_search(const DecodeOptions& options, const char* arithmetic) {
  log().debug("computing in {}", arithmetic);
  if (options.sampling.on) {
    log().debug("sampling: temperature {}, top-k {}, top-p {}, seed {}",
                options.sampling.temperature,
                options.sampling.top_k == 0 ? "all" : std::to_string(options.sampling.top_k),
                options.sampling.top_p, options.sampling.seed);
  } else {
    log().debug("{} as in mode {}: beam {}, length penalty {}",
                options.beam == 1 ? "greedy search" : "beam search", name_of(options.mode),
                options.beam, options.length_penalty);
  }
}

void report_end(const ModelRuntime& runtime, const TranslationProgress& progress) {
  if (runtime.lines_split() > 0) {
    log().warn("{} longer than the model takes, translated in parts{}",
               counted(runtime.lines_split(), "line"),
               runtime.sentences_cut() > 0 ? fmt::format("; in {} of them a sentence had to be cut",
                                                         runtime.sentences_cut())
                                           : "");
  }
  log().debug("{} in {:.2f} s", counted(progress.lines(), "line"), progress.seconds());
}

// What goes in, through, and out.
struct Stream {
  Bulk& bulk;
  LinesBeside& prefixes;
  LinesBeside& targets;
  const Model& model;
  bool scores = false;  // targets that are given, instead of translating
};

// What is being translated, for a bar that moves meanwhile.
struct Window {
  std::uint64_t lines = 0, bytes = 0;
};

// Of each line its translations, or the one that is given.
std::vector<std::vector<Translation>> answers_of(const Stream& stream,
                                                 const std::vector<SourceLine>& lines,
                                                 const TranslateOptions& options) {
  if (!stream.scores) {
    return stream.model.n_best(lines, options);
  }
  std::vector<std::vector<Translation>> answers;
  for (Translation& scored : stream.model.score(lines, options)) {
    answers.emplace_back().push_back(std::move(scored));
  }
  return answers;
}

void translate_all(const Stream& stream, const TranslateOptions& options,
                   const TranslationFormat& format, InputChecks& checks,
                   TranslationProgress& progress, Window& now) {
  const auto begin = [&](const std::vector<InputLine>& window) {
    now = {.lines = window.size()};
    for (const InputLine& line : window) {
      now.bytes += line.text.size() + 1;
    }
  };
  stream.bulk.run({.answer =
                       [&](std::vector<InputLine>& window) {
                         begin(window);
                         std::vector<SourceLine> sources;
                         for (InputLine& line : window) {
                           SourceLine& source =
                               sources.emplace_back(checks.accept(std::move(line)));
                           source.prefix = stream.prefixes.next();
                           source.target = stream.targets.next();
                         }
                         std::string text;
                         const auto answers = answers_of(stream, sources, options);
                         for (std::size_t i = 0; i < sources.size(); ++i) {
                           text += formatted(sources[i], answers[i], format);
                         }
                         progress.add(now.lines, now.bytes);
                         return text;
                       },
                   .pass =
                       [&](const std::vector<InputLine>& window) {
                         begin(window);
                         for (std::size_t i = 0; i < window.size(); ++i) {
                           stream.prefixes.next();
                           stream.targets.next();
                         }
                         progress.add(now.lines, now.bytes);
                       }});
  stream.prefixes.check_end(progress.lines());
  stream.targets.check_end(progress.lines());
  checks.report();
}

// A bar for files, where nothing else is written to the terminal.
std::optional<TerminalPort> progress_port(const TranslateFlags& flags) {
  const bool writes_to_terminal = is_standard(flags.output) && isatty(STDOUT_FILENO) != 0;
  const bool is_quiet = !log().should_log(spdlog::level::info);
  if (writes_to_terminal || is_quiet || !standard_error_can_redraw() ||
      (is_standard(flags.input) && isatty(STDIN_FILENO) != 0)) {
    return std::nullopt;
  }
  return standard_error_port();
}

// A pair that is scored is written like a line of an n-best list.
OutputForm output_form(const TranslateFlags& flags) {
  return flags.json                                             ? OutputForm::json
         : flags.search.n_best.empty() && flags.targets.empty() ? OutputForm::text
                                                                : OutputForm::n_best;
}

AlignmentForm alignment_form(const TranslateFlags& flags) {
  check(!flags.alignment.empty() || flags.alignment_layer.empty(),
        "--alignment-layer is about alignments; add --alignment hard or soft");
  if (flags.alignment.empty()) {
    return AlignmentForm::none;
  }
  return word_value("--alignment", flags.alignment, {"hard", "soft"}) == "hard"
             ? AlignmentForm::hard
             : AlignmentForm::soft;
}

// The options as far as the flags say them; those of the model come when it is there.
TranslateOptions asked_by(const TranslateFlags& flags) {
  check_search(flags.search, options_of(flags.search));
  TranslateOptions options = translate_options(flags.search);
  options.alignments = alignment_form(flags) != AlignmentForm::none;
  options.scores = output_form(flags) != OutputForm::text || flags.word_scores;
  if (!flags.alignment_layer.empty()) {
    options.alignment_layer =
        integer_value("--alignment-layer", flags.alignment_layer, {1, 1 << 20}) - 1;
  }
  check(flags.targets.empty() ||
            (flags.prefixes.empty() && flags.search.n_best.empty() && !flags.search.sample),
        "--score-targets searches for nothing; leave --prefix, --n-best and --sample out");
  return options;
}

void check_shortlist(const TranslateFlags& flags, const std::string& device) {
  if (flags.shortlist.empty()) {
    return;
  }
  require_file("--shortlist", flags.shortlist);
  check(device == "cpu", "--shortlist is for CPUs; a GPU computes all outputs as fast");
  check(flags.targets.empty(), "--score-targets searches for nothing; leave --shortlist out");
}

// transformers takes English without a word; the same outputs, with one.
void report_guess(const TranslateFlags& flags, const TranslationModel& model) {
  if (is_multilingual(model.info()) &&
      completed_languages(model.folder(), {flags.source_language, ""}).source.empty()) {
    log().warn("--src-lang is not given: the text is taken for English");
  }
}

// The library counts layers from 0, and knows them only when the model is there.
void check_alignment_layer(const DecodeOptions& options, const TranslationModel& model) {
  const std::int64_t layers = model.info().config.decoder_layers;
  check(options.alignment_layer < layers,
        "--alignment-layer: expected 1 to {} (the model's decoder layers), got {}", layers,
        options.alignment_layer + 1);
}

// Can the model do what the flags ask of it?
void check_model(const Model& model, const TranslateFlags& flags, const TranslateOptions& options) {
  ModelSet& models = model.runtime().models();
  const DecodeOptions search = models.search_unchecked(options);
  check_search(flags.search, search);
  check_languages(models.first(), search);
  report_guess(flags, models.first());
  check_alignment_layer(search, models.first());
}

int run(const CLI::App& app, TranslateFlags flags) {
  require_flag(app, "--model", !flags.models.empty(), "name the folder of a trained model");
  Communicator* ranks =
      join_bulk_ranks(flags.workers.device, flags.workers.threads, flags.workers.workers);
  TranslateOptions options = asked_by(flags);  // wrong flags are reported before a model loads
  const std::string device = device_of(flags.workers);
  const ComputeType type = compute_type(flags.compute_type, device);
  TranslationProgress progress(progress_port(flags), plain_size(flags.input));
  Window now;
  options.batch_tokens = decode_batch_tokens(flags.batch_tokens, device);
  options.progress = [&](double share) { progress.show(share, now.lines, now.bytes); };
  options.long_lines = word_value("--long", flags.long_lines, {"split", "refuse"}) == "refuse"
                           ? LongLines::refuse
                           : LongLines::split;
  const bool refuses_bad =
      word_value("--encoding", flags.encoding, {"repair", "refuse"}) == "refuse";
  LinesBeside prefixes("--prefix", flags.prefixes);
  LinesBeside targets("--score-targets", flags.targets);
  check_shortlist(flags, device);
  worker_choice(flags.workers);
  Bulk bulk(app,
            {.input = flags.input,
             .output = flags.output,
             .beside = {flags.prefixes, flags.targets},
             .chunk_lines = flags.chunk_lines},
            ranks);
  const Model model = load_model(flags, type);
  check_model(model, flags, options);
  report_search(model.runtime().prepare(options),
                arithmetic_of(model.runtime().models().first(), type.precision));
  InputChecks checks(flags.input, refuses_bad ? BadEncoding::refuse : BadEncoding::repair);
  translate_all({.bulk = bulk,
                 .prefixes = prefixes,
                 .targets = targets,
                 .model = model,
                 .scores = !flags.targets.empty()},
                options,
                {.form = output_form(flags),
                 .alignment = alignment_form(flags),
                 .word_scores = flags.word_scores},
                checks, progress, now);
  report_end(model.runtime(), progress);
  return 0;
}

}  // namespace

Command add_translate(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"translate", "translate lines of text",
                "yona translate --model run < news.en > news.de\n"
                "yona translate --model run --input news.en.gz --output news.de.zst --beam 8\n"
                "mpirun -np 8 yona translate --model run --input big.en.zst --output big.de.zst\n"
                "yona translate --model run --compute-type int8 --workers 8 --threads 1 < big.en\n"
                "yona translate --model run1,run2 --n-best 4 --input news.en\n"
                "yona translate --model run --compute-type int8 --shortlist run/lex < news.en\n"
                "yona translate --model nllb --src-lang eng_Latn --tgt-lang deu_Latn < news.en\n"
                "yona translate --model run --alignment hard --word-scores < news.en\n"
                "yona translate --model run --input news.en --score-targets news.de\n"
                "yona translate --model run --sample --temperature 0.8 --json < news.en"});
  const auto flags = std::make_shared<TranslateFlags>();
  add_translate_flags(*app, *flags);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
