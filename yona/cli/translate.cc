// `yona translate`: lines in, translations out, in order.

#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/search_flags.h"
#include "yona/cli/translation_output.h"
#include "yona/data/line_queue.h"
#include "yona/decode/translation_format.h"
#include "yona/decode/translation_progress.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct TranslateFlags {
  std::vector<std::string> models;
  std::string input, output, prefixes;
  std::string batch_tokens = "4096";
  std::string long_lines = "split";
  std::string encoding = "repair";
  std::string device = "cpu";
  std::string threads = "0";
  SearchFlags search;
  bool json = false;
};

enum class BadEncoding : std::uint8_t { repair, refuse };

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

// Somebody who types waits for each answer; a pipe is given a moment to bring more; a file is
// always ahead of the translation.
WindowLimits window_limits(const std::string& input) {
  WindowLimits limits;
  limits.patience = !is_standard(input)         ? std::chrono::milliseconds(10s)
                    : isatty(STDIN_FILENO) != 0 ? 0ms
                                                : 5ms;
  return limits;
}

std::unique_ptr<LineQueue> open_lines(const std::string& input, const std::string& flag) {
  const WindowLimits limits = window_limits(input);
  if (is_standard(input)) {
    return std::make_unique<LineQueue>(STDIN_FILENO, "standard input", limits);
  }
  require_file(flag, input);
  return std::make_unique<LineQueue>(input, limits);
}

// The size of a plain file, for the progress bar; 0 for standard input and archives.
std::uint64_t plain_size(const std::string& input) {
  std::error_code error;
  const fs::path path = input;
  const bool is_archive =
      path.extension() == ".gz" || path.extension() == ".xz" || path.extension() == ".zst";
  if (is_standard(input) || is_archive || !fs::is_regular_file(path, error)) {
    return 0;
  }
  const std::uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

std::vector<std::unique_ptr<TranslationModel>> load_models(const std::vector<std::string>& folders,
                                                           Backend& backend) {
  std::vector<std::unique_ptr<TranslationModel>> models;
  for (const fs::path& folder : path_list(folders)) {
    require_folder("--model", folder);
    models.push_back(TranslationModel::load(folder, backend));
    models.back()->pack();
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

// What was odd about the input, counted as it goes by.
class InputChecks {
 public:
  explicit InputChecks(BadEncoding bad) : bad_(bad) {}

  // The line as it is translated. Throws FormatError where it cannot be.
  SourceLine accept(InputLine line) {
    check<FormatError>(!line.cut, "line {}: is longer than {}; cut it into lines", line.number,
                       short_bytes(LineReader::kLongestLine));
    if (!line.valid_utf8) {
      check<FormatError>(bad_ == BadEncoding::repair,
                         "line {}: is not UTF-8; convert the input, for example with iconv",
                         line.number);
      if (repaired_++ < Findings::kShown) {
        log().warn("line {}: is not UTF-8; what is broken is read as U+FFFD", line.number);
      }
      line.text = repaired_utf8(line.text);
    }
    return {.text = std::move(line.text), .number = line.number};
  }

  void report() const {
    if (repaired_ > Findings::kShown) {
      log().warn("{} lines were not UTF-8", grouped(static_cast<std::int64_t>(repaired_)));
    }
  }

 private:
  BadEncoding bad_;
  std::uint64_t repaired_ = 0;
};

// Gives each line its prefix; both inputs must have as many lines.
class Prefixes {
 public:
  explicit Prefixes(const std::string& path)
      : path_(path), reader_(path.empty() ? nullptr : std::make_unique<LineReader>(path)) {}

  void add_to(SourceLine& line) {
    LineReader::Line prefix;
    if (reader_ != nullptr) {
      check(reader_->next(prefix), "--prefix: {} has {} lines, the input has more", path_,
            reader_->lines());
      check<FormatError>(prefix.valid_utf8, "--prefix: {}:{}: is not UTF-8", path_,
                         reader_->lines());
      line.prefix = prefix.text;
    }
  }

  void check_end(std::uint64_t lines) {
    LineReader::Line rest;
    check(reader_ == nullptr || !reader_->next(rest),
          "--prefix: {} has more lines than the input's {}", path_, lines);
  }

 private:
  std::string path_;
  std::unique_ptr<LineReader> reader_;
};

void report_search(const DecodeOptions& options) {
  log().debug("beam search as in mode {}: beam {}, length penalty {}", name_of(options.mode),
              options.beam, options.length_penalty);
}

void report_end(const LineTranslator& translator, const TranslationProgress& progress) {
  if (translator.lines_split() > 0) {
    log().warn(
        "{} lines were longer than the model takes and were translated in parts{}",
        translator.lines_split(),
        translator.sentences_cut() > 0
            ? fmt::format("; in {} of them a sentence had to be cut", translator.sentences_cut())
            : "");
  }
  log().debug("{} lines in {}", progress.lines(), short_duration(progress.seconds()));
}

struct Stream {
  LineQueue& lines;
  LineTranslator& translator;
  TranslationOutput& output;
  OutputForm form = OutputForm::text;
  BadEncoding encoding = BadEncoding::repair;
};

void translate_all(const Stream& stream, Prefixes& prefixes, const Vocabulary& target,
                   TranslationProgress& progress) {
  InputChecks checks(stream.encoding);
  for (std::vector<InputLine> window; !(window = stream.lines.next()).empty();) {
    std::vector<SourceLine> sources;
    std::uint64_t bytes = 0;
    for (InputLine& line : window) {
      bytes += line.text.size() + 1;
      prefixes.add_to(sources.emplace_back(checks.accept(std::move(line))));
    }
    std::string text;
    const auto translations = stream.translator.translate(sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      text += formatted(sources[i], translations[i], stream.form, target);
    }
    stream.output.write(text);
    progress.add(sources.size(), bytes);
  }
  prefixes.check_end(progress.lines());
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

OutputForm output_form(const TranslateFlags& flags) {
  return flags.json                    ? OutputForm::json
         : flags.search.n_best.empty() ? OutputForm::text
                                       : OutputForm::n_best;
}

int run(const CLI::App& app, const TranslateFlags& flags) {
  require_flag(app, "--model", !flags.models.empty(), "name the folder of a trained model");
  const DecodeOptions search = options_of(flags.search);
  const TextOptions text{.batch_tokens =
                             integer_value("--batch-tokens", flags.batch_tokens, {1, 1 << 30})};
  const bool refuses_long = word_value("--long", flags.long_lines, {"split", "refuse"}) == "refuse";
  const bool refuses_bad =
      word_value("--encoding", flags.encoding, {"repair", "refuse"}) == "refuse";
  if (!flags.prefixes.empty()) {
    require_file("--prefix", flags.prefixes);
  }
  const auto threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const std::unique_ptr<Backend> backend =
      make_backend(word_value("--device", flags.device, {"cpu", "cuda"}), {.threads = threads});
  const std::unique_ptr<LineQueue> lines = open_lines(flags.input, "--input");
  const auto models = load_models(flags.models, *backend);
  Translator translator(pointers(models), *backend, search, text);
  report_search(translator.options());
  const ModelInfo& info = models.front()->info();
  LineTranslator line_translator(translator,
                                 {.long_lines = refuses_long ? LongLines::refuse : LongLines::split,
                                  .source_language = info.source_language,
                                  .target_language = info.target_language});
  TranslationOutput output(flags.output);
  TranslationProgress progress(progress_port(flags), plain_size(flags.input));
  Prefixes prefixes(flags.prefixes);
  translate_all({.lines = *lines,
                 .translator = line_translator,
                 .output = output,
                 .form = output_form(flags),
                 .encoding = refuses_bad ? BadEncoding::refuse : BadEncoding::repair},
                prefixes, models.front()->subwords().target.vocabulary(), progress);
  report_end(line_translator, progress);
  return 0;
}

}  // namespace

Command add_translate(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"translate", "translate lines of text",
                "yona translate --model run < news.en > news.de\n"
                "yona translate --model run --input news.en.gz --output news.de --beam 8\n"
                "yona translate --model run1,run2 --n-best 4 --input news.en\n"
                "yona translate --model run --sample --temperature 0.8 --json < news.en"});
  const auto flags = std::make_shared<TranslateFlags>();
  add_list(*app, flags->models,
           {"-m,--model", "DIR…", "folder of a trained model; several are an ensemble"});
  add_text(*app, flags->input,
           {"-i,--input", "FILE",
            "lines to translate (.gz, .xz and .zst too); default: standard "
            "input"});
  add_text(*app, flags->output, {"-o,--output", "FILE", "translations; default: standard output"});
  add_text(
      *app, flags->batch_tokens,
      {"--batch-tokens", "N", "source tokens decoded together, times the beam (default 4096)"});
  add_text(*app, flags->prefixes,
           {"--prefix", "FILE", "a line for each input line that its translation begins with"});
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
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_search_flags(*app, flags->search);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
