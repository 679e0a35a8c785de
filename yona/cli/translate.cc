// `yona translate`: lines in, translations out, in order.

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/cli/search_flags.h"
#include "yona/cli/translation_input.h"
#include "yona/cli/translation_output.h"
#include "yona/cli/worker_backends.h"
#include "yona/decode/shortlist.h"
#include "yona/decode/translation_format.h"
#include "yona/decode/translation_progress.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

struct TranslateFlags {
  std::vector<std::string> models;
  std::string input, output, prefixes, targets;
  std::string source_language, target_language;
  std::string batch_tokens;
  std::string long_lines = "split";
  std::string encoding = "repair";
  std::string device = "cpu";
  std::string compute_type;
  std::string threads = "0";
  std::string workers = "1";
  std::string alignment, alignment_layer;
  std::string shortlist;
  SearchFlags search;
  bool json = false;
  bool word_scores = false;
};

std::vector<std::unique_ptr<TranslationModel>> load_models(const TranslateFlags& flags,
                                                           const ComputeType& type,
                                                           Backend& backend) {
  std::vector<std::unique_ptr<TranslationModel>> models;
  for (const fs::path& folder : path_list(flags.models)) {
    require_folder("--model", folder);
    models.push_back(TranslationModel::load(folder, backend, type.packing_of(folder)));
    models.back()->choose_languages({flags.source_language, flags.target_language});
  }
  return models;
}

std::vector<const TranslationModel*> pointers(
    const std::vector<std::unique_ptr<TranslationModel>>& models) {
  std::vector<const TranslationModel*> found;
  found.reserve(models.size());
  for (const auto& model : models) {
    found.push_back(model.get());
  }
  return found;
}

void report_search(const DecodeOptions& options) {
  log().debug("beam search as in mode {}: beam {}, length penalty {}", name_of(options.mode),
              options.beam, options.length_penalty);
}

void report_end(const LineTranslator& translator, const TranslationProgress& progress) {
  if (translator.lines_split() > 0) {
    log().warn(
        "{} longer than the model takes, translated in parts{}",
        counted(translator.lines_split(), "line"),
        translator.sentences_cut() > 0
            ? fmt::format("; in {} of them a sentence had to be cut", translator.sentences_cut())
            : "");
  }
  log().debug("{} in {}", counted(progress.lines(), "line"), short_duration(progress.seconds()));
}

// What goes in, through, and out.
struct Stream {
  LineQueue& lines;
  LinesBeside& prefixes;
  LinesBeside& targets;
  LineTranslator& translator;
  TranslationOutput& output;
  bool scores = false;  // targets that are given, instead of translating
};

void translate_all(const Stream& stream, const TranslationFormat& format, InputChecks& checks,
                   TranslationProgress& progress) {
  for (std::vector<InputLine> window; !(window = stream.lines.next()).empty();) {
    std::vector<SourceLine> sources;
    std::uint64_t bytes = 0;
    for (InputLine& line : window) {
      bytes += line.text.size() + 1;
      SourceLine& source = sources.emplace_back(checks.accept(std::move(line)));
      source.prefix = stream.prefixes.next();
      source.target = stream.targets.next();
    }
    std::string text;
    const auto answers =
        stream.scores ? stream.translator.score(sources) : stream.translator.translate(sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      text += formatted(sources[i], answers[i], format);
    }
    stream.output.write(text);
    progress.add(sources.size(), bytes);
  }
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
DecodeOptions with_alignments(const TranslateFlags& flags, DecodeOptions options) {
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

DecodeOptions model_options(const TranslateFlags& flags, const TranslationModel& model) {
  return with_alignments(flags, options_of(flags.search, model.folder(), model.info()));
}

void check_shortlist(const TranslateFlags& flags, const std::string& device) {
  if (flags.shortlist.empty()) {
    return;
  }
  require_file("--shortlist", flags.shortlist);
  check(device == "cpu", "--shortlist is for CPUs; a GPU computes all outputs as fast");
  check(flags.targets.empty(), "--score-targets searches for nothing; leave --shortlist out");
}

// A model of many languages cannot guess which one is wanted.
void check_languages(const TranslationModel& model, const DecodeOptions& options) {
  const std::string& family = model.info().family;
  if ((family != "mbart" && family != "m2m_100") || model.frame().first >= 0 ||
      model.frame().start >= 0 || options.first_id >= 0) {
    return;
  }
  const Vocabulary& vocabulary = model.subwords().target.vocabulary();
  const std::vector<std::string> languages = language_tokens(vocabulary);
  const std::string& first = vocabulary.piece(model.transformer().start_id());
  check(std::find(languages.begin(), languages.end(), first) != languages.end(),
        "--tgt-lang: the model has {}; name the one to translate into: {}",
        counted(languages.size(), "language"), fmt::join(languages, ", "));
}

// The library counts layers from 0, and knows them only when the model is there.
void check_alignment_layer(const DecodeOptions& options, const TranslationModel& model) {
  const std::int64_t layers = model.info().config.decoder_layers;
  check(options.alignment_layer < layers, "--alignment-layer: {} is given, the model has {}",
        options.alignment_layer + 1, layers);
}

int run(const CLI::App& app, const TranslateFlags& flags) {
  require_flag(app, "--model", !flags.models.empty(), "name the folder of a trained model");
  with_alignments(flags, options_of(flags.search));  // wrong flags are told before a model loads
  const std::string device = word_value("--device", flags.device, {"cpu", "cuda"});
  const ComputeType type = compute_type(flags.compute_type, device);
  const TextOptions text{.batch_tokens = decode_batch_tokens(flags.batch_tokens, device)};
  const bool refuses_long = word_value("--long", flags.long_lines, {"split", "refuse"}) == "refuse";
  const bool refuses_bad =
      word_value("--encoding", flags.encoding, {"repair", "refuse"}) == "refuse";
  LinesBeside prefixes("--prefix", flags.prefixes);
  LinesBeside targets("--score-targets", flags.targets);
  check_shortlist(flags, device);
  const WorkerBackends workers = worker_backends(flags.threads, flags.workers, device);
  const std::unique_ptr<LineQueue> lines = open_lines(flags.input);
  const auto models = load_models(flags, type, *workers.backends.front());
  DecodeOptions search = model_options(flags, *models.front());
  search.precision = type.precision;
  if (!flags.shortlist.empty()) {
    search.shortlist = std::make_shared<Shortlist>(Shortlist::load(flags.shortlist));
  }
  check_languages(*models.front(), search);
  check_alignment_layer(search, *models.front());
  Translator translator(pointers(models), workers.places, search, text);
  report_search(translator.options());
  const ModelInfo& info = models.front()->info();
  LineTranslator line_translator(translator,
                                 {.long_lines = refuses_long ? LongLines::refuse : LongLines::split,
                                  .source_language = info.source_language,
                                  .target_language = info.target_language});
  TranslationOutput output(flags.output);
  TranslationProgress progress(progress_port(flags), plain_size(flags.input));
  InputChecks checks(refuses_bad ? BadEncoding::refuse : BadEncoding::repair);
  const SubwordPair& subwords = models.front()->subwords();
  translate_all({.lines = *lines,
                 .prefixes = prefixes,
                 .targets = targets,
                 .translator = line_translator,
                 .output = output,
                 .scores = !flags.targets.empty()},
                {.source = subwords.source.vocabulary(),
                 .target = subwords.target.vocabulary(),
                 .form = output_form(flags),
                 .alignment = alignment_form(flags),
                 .word_scores = flags.word_scores},
                checks, progress);
  report_end(line_translator, progress);
  return 0;
}

void add_file_flags(CLI::App& app, TranslateFlags& flags) {
  add_list(app, flags.models,
           {"-m,--model", "DIR…", "folder of a trained model; several are an ensemble"});
  add_text(app, flags.input,
           {"-i,--input", "FILE",
            "lines to translate (.gz, .xz and .zst too); default: standard "
            "input"});
  add_text(app, flags.output, {"-o,--output", "FILE", "translations; default: standard output"});
  add_text(app, flags.prefixes,
           {"--prefix", "FILE", "a line for each input line that its translation begins with"});
  add_text(app, flags.targets,
           {"--score-targets", "FILE",
            "a translation of each input line: say how probable it is instead of translating, as "
            "`0 ||| text ||| F0= log-probability ||| score`"});
}

void add_language_flags(CLI::App& app, TranslateFlags& flags) {
  constexpr const char* kLanguages = "Languages";
  add_text(app, flags.source_language,
           {"--src-lang", "CODE",
            "the input's language, for models of several (mBART, M2M100, NLLB, T5), in their code "
            "or its beginning: en, en_XX, eng_Latn",
            kLanguages});
  add_text(app, flags.target_language,
           {"--tgt-lang", "CODE", "the language to translate into, likewise", kLanguages});
}

void add_word_flags(CLI::App& app, TranslateFlags& flags) {
  constexpr const char* kWords = "Words";
  add_text(app, flags.alignment,
           {"--alignment", "hard|soft",
            "after the text, which source words its words come from, by attention: `||| 0-0 1-2` "
            "(hard), or all weights (soft)",
            kWords});
  add_text(app, flags.alignment_layer,
           {"--alignment-layer", "N", "the decoder layer whose attention it is (default: the last)",
            kWords});
  add_switch(
      app, flags.word_scores,
      {"--word-scores", "",
       "after the text, the log-probability of each word: `||| WordScores= -0.1 -0.2`", kWords});
}

}  // namespace

Command add_translate(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"translate", "translate lines of text",
                "yona translate --model run < news.en > news.de\n"
                "yona translate --model run --input news.en.gz --output news.de --beam 8\n"
                "yona translate --model run --compute-type int8 --workers 8 --threads 1 < big.en\n"
                "yona translate --model run1,run2 --n-best 4 --input news.en\n"
                "yona translate --model run --compute-type int8 --shortlist run/lex < news.en\n"
                "yona translate --model nllb --src-lang eng_Latn --tgt-lang deu_Latn < news.en\n"
                "yona translate --model run --alignment hard --word-scores < news.en\n"
                "yona translate --model run --input news.en --score-targets news.de\n"
                "yona translate --model run --sample --temperature 0.8 --json < news.en"});
  const auto flags = std::make_shared<TranslateFlags>();
  add_file_flags(*app, *flags);
  add_text(*app, flags->batch_tokens,
           {"--batch-tokens", "N",
            "source tokens decoded together, times the beam (default 4096, on a GPU 65536)"});
  add_text(*app, flags->long_lines,
           {"--long", "split|refuse",
            "lines longer than the model takes: translate them sentence by sentence (split, the "
            "default), or end with an error"});
  add_text(*app, flags->encoding,
           {"--encoding", "repair|refuse",
            "bytes that are not UTF-8: read them as U+FFFD and say where (repair, the default), or "
            "end with an error"});
  add_switch(*app, flags->json, {"--json", "", "an object a line: scores, tokens, all hypotheses"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_compute_type(*app, flags->compute_type);
  add_text(*app, flags->shortlist,
           {"--shortlist", "FILE",
            "only pieces that it lists for a line's pieces can come out (`yona shortlist` makes "
            "it): a smaller output layer, on CPUs"});
  add_text(*app, flags->threads,
           {"--threads", "N", "CPU threads of a worker (default: all that may be used)"});
  add_text(*app, flags->workers,
           {"--workers", "N",
            "decode so many batches at once, each on CPUs of its own, with one copy of the weights "
            "(default 1): the most lines a second when there are many"});
  add_language_flags(*app, *flags);
  add_word_flags(*app, *flags);
  add_search_flags(*app, flags->search);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
