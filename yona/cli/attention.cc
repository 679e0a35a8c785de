// `yona attention`: what every head of a model looked at, for a sentence (drawn in the terminal, as
// a page, as a figure, for scripts) or in figures for a whole file.

#include "yona/inspect/attention.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/cli/attention_corpus.h"
#include "yona/cli/commands.h"
#include "yona/cli/output_file.h"
#include "yona/inspect/export.h"
#include "yona/inspect/figures.h"
#include "yona/inspect/html.h"
#include "yona/inspect/image_attention.h"
#include "yona/inspect/png.h"
#include "yona/inspect/svg.h"
#include "yona/inspect/terminal.h"
#include "yona/io/atomic_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/model_kind.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

using Heads = AttentionChoice::Heads;

const std::vector<std::string> kFormats = {"terminal", "html", "svg", "png", "json", "npz"};

struct AttentionFlags {
  std::string model, image, source, target, input, target_input, gold, gold_base = "0";
  std::string format, output, part = "cross", layer, head, style = "matrix", token;
  std::string device = "cpu", threads = "0";
};

// --format, or what the name of the output ends in. A terminal's text has no ending, or .txt.
std::string format_of(const AttentionFlags& flags) {
  if (!flags.format.empty()) {
    return word_value("--format", flags.format, kFormats);
  }
  const std::string ending = std::filesystem::path(flags.output).extension().string();
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [&](const std::string& name) { return ending == "." + name; });
  check(found != kFormats.end() || ending.empty() || ending == ".txt",
        "--output: no format is known by its ending '{}'; name one with --format: {}", ending,
        fmt::join(kFormats, ", "));
  return found == kFormats.end() ? kFormats.front() : *found;
}

AttentionPart part_of(const AttentionFlags& flags) {
  std::vector<std::string> names;
  names.reserve(kAttentionParts.size());
  for (const AttentionPart part : kAttentionParts) {
    names.emplace_back(name_of(part));
  }
  const std::string name = word_value("--part", flags.part, names);
  return kAttentionParts.at(
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
}

// The matrices that the flags name; where they name none, all of them in a figure, and in the
// terminal the mean over the heads of the last layer.
AttentionChoice choice_of(const AttentionFlags& flags, const AttentionMaps& maps, bool terminal) {
  AttentionChoice choice{part_of(flags), std::nullopt, Heads::all, 0};
  if (flags.head == "mean" || (terminal && flags.head.empty() && flags.layer.empty())) {
    choice.heads = Heads::mean;
  } else if (!flags.head.empty() && flags.head != "all") {
    choice.heads = Heads::one;
    choice.head = integer_value("--head", flags.head, {1}) - 1;
  }
  if (!flags.layer.empty() && flags.layer != "all") {
    choice.layer = integer_value("--layer", flags.layer, {1}) - 1;
  } else if (terminal && flags.layer.empty()) {
    choice.layer = maps.layers(choice.part) - 1;
  }
  check_choice(maps, choice);
  return choice;
}

std::string draw_in_terminal(const AttentionFlags& flags, const AttentionMaps& maps) {
  const AttentionChoice choice = choice_of(flags, maps, true);
  TerminalStyle style = terminal_style(STDOUT_FILENO);
  if (!flags.output.empty()) {
    style.colours = Colours::none;
  }
  std::string out;
  for (const HeatMap& map : heat_maps(maps, choice)) {
    out += draw_terminal(map, style) + "\n";
  }
  std::vector<HeadFigures> figures = figures_of(maps);
  std::erase_if(figures, [&](const HeadFigures& head) { return head.part != choice.part; });
  return out + figures_table(figures);
}

std::string figure_of(const AttentionFlags& flags, const AttentionMaps& maps) {
  const AttentionChoice choice = choice_of(flags, maps, false);
  if (word_value("--style", flags.style, {"matrix", "lines"}) == "lines") {
    return svg_lines(maps, choice,
                     flags.token.empty()
                         ? std::nullopt
                         : std::optional(integer_value("--token", flags.token, {1}) - 1));
  }
  check(flags.token.empty(), "--token: belongs to --style lines");
  return svg_matrix(heat_maps(maps, choice));
}

std::string rendered(const AttentionFlags& flags, const std::string& format,
                     const AttentionMaps& maps) {
  if (format == "html") {
    return attention_page(maps);
  }
  if (format == "svg") {
    return figure_of(flags, maps);
  }
  if (format == "png") {
    return png_of(figure_of(flags, maps));
  }
  if (format == "json") {
    return attention_json(maps) + "\n";
  }
  if (format == "npz") {
    return attention_npz(maps);
  }
  return draw_in_terminal(flags, maps);
}

void write_result(const AttentionFlags& flags, const std::string& result) {
  if (flags.output.empty()) {
    std::fwrite(result.data(), 1, result.size(), stdout);
    return;
  }
  replace_file(flags.output, result);
  log().info("written to {}", flags.output);
}

void check_text(std::string_view flag, const std::string& text) {
  check<FormatError>(is_utf8(text), "{}: the text is not UTF-8", flag);
}

std::string one_pair(const AttentionFlags& flags, const CLI::App& app,
                     const TranslationModel& model, Backend& backend) {
  check_text("--source", flags.source);
  check_text("--target", flags.target);
  const bool is_forced = app.count("--target") > 0;
  const AttentionMaps maps = inspect_attention(
      model, backend, flags.source, is_forced ? std::optional(flags.target) : std::nullopt);
  return rendered(flags, format_of(flags), maps);
}

std::string corpus(const AttentionFlags& flags, const TranslationModel& model, Backend& backend) {
  const CorpusFiles files{flags.input, flags.target_input, flags.gold,
                          integer_value("--gold-base", flags.gold_base, {0, 1})};
  const bool json = format_of(flags) == "json";
  if (!flags.gold.empty()) {
    const AlignmentScores scores = alignment_scores(model, backend, files);
    return json ? alignment_json(scores).dump() + "\n" : alignment_table(scores);
  }
  const FigureSums sums = corpus_figures(model, backend, files);
  if (json) {
    return Json{{"sentences", sums.sentences()}, {"figures", figures_json(sums.means())}}.dump() +
           "\n";
  }
  return fmt::format("means over {} sentences\n{}", sums.sentences(), figures_table(sums.means()));
}

// What the flags say together, before a model is loaded.
void check_flags(const CLI::App& app, const AttentionFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name a model folder");
  check(is_model_folder(flags.model), "--model: {}: is not a model folder (no config.json)",
        flags.model);
  const bool one = app.count("--source") > 0;
  check(one != !flags.input.empty(),
        "attention: give either --source TEXT or --input FILE to look at");
  const std::string format = format_of(flags);
  if (one) {
    check(flags.gold.empty() && flags.target_input.empty(),
          "attention: --target-input and --align-error belong to --input");
    const bool is_binary = format == "png" || format == "npz";
    check(!is_binary || !flags.output.empty() || isatty(STDOUT_FILENO) == 0,
          "attention: --output is missing; {} is not for a terminal", format);
    return;
  }
  check(app.count("--target") == 0, "attention: --target belongs to --source; see --target-input");
  check(format == "terminal" || format == "json",
        "--format: {} shows one sentence; with --input only terminal and json", format);
  check(flags.gold.empty() || !flags.target_input.empty(),
        "attention: --align-error needs the translations that were aligned: --target-input FILE");
  require_file("--input", flags.input);
  for (const auto& [flag, path] :
       {std::pair{"--target-input", flags.target_input}, {"--align-error", flags.gold}}) {
    if (!path.empty()) {
      require_file(flag, path);
    }
  }
}

std::unique_ptr<Backend> backend_of(const AttentionFlags& flags) {
  return make_backend(
      word_value("--device", flags.device, {"cpu", "cuda"}),
      {.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}))});
}

// A picture instead of a sentence.
int run_image(const CLI::App& app, const AttentionFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name the folder of an image classifier");
  require_folder("--model", flags.model);
  for (const char* other : {"--source", "--target", "--input"}) {
    check(app.count(other) == 0, "attention: {} is given together with --image; use one of them",
          other);
  }
  require_file("--image", flags.image);
  const bool is_default = flags.format.empty() && flags.output.empty();
  const std::string format = is_default ? "html" : format_of(flags);
  check(format == "html" || format == "json",
        "--format: {} is for sentences; a picture is shown as html or json", format);
  check_model_kind(flags.model, ModelKind::image, "yona attention --image");
  protect_model_files("--output", flags.output);
  const std::unique_ptr<Backend> backend = backend_of(flags);
  const ImageAttention attention =
      inspect_image(flags.model, *backend, read_picture(flags.image), flags.image);
  write_result(
      flags, format == "html" ? image_attention_page(attention) : image_attention_json(attention));
  return 0;
}

int run(const CLI::App& app, const AttentionFlags& flags) {
  if (app.count("--image") > 0) {
    return run_image(app, flags);
  }
  check_flags(app, flags);
  protect_model_files("--output", flags.output);
  const std::unique_ptr<Backend> backend = backend_of(flags);
  const std::unique_ptr<TranslationModel> model = TranslationModel::load(flags.model, *backend);
  write_result(flags, flags.input.empty() ? one_pair(flags, app, *model, *backend)
                                          : corpus(flags, *model, *backend));
  return 0;
}

void add_flags(CLI::App& app, AttentionFlags& flags) {
  add_text(app, flags.model, {"-m,--model", "DIR", "a model folder, or that of a training run"});
  add_text(app, flags.source, {"--source", "TEXT", "a sentence to look at"});
  add_text(app, flags.target,
           {"--target", "TEXT", "its translation (default: what the model translates)"});
  add_text(app, flags.image,
           {"--image", "FILE",
            "a PNG or JPEG for an image classifier: where the class token looked, and roll-out, as "
            "html (default) or json"});
  add_text(app, flags.format,
           {"--format", "NAME",
            "terminal, html, svg, png, json or npz (default: by the ending of --output)"});
  add_text(app, flags.output, {"-o,--output", "FILE", "default: standard output"});
  const std::string which = "Which, in terminal, svg and png";
  add_text(app, flags.part, {"--part", "NAME", "encoder, decoder or cross (default)", which});
  add_text(app, flags.layer,
           {"--layer", "N|all", "from 1 (default: all; the last in a terminal)", which});
  add_text(app, flags.head,
           {"--head", "N|all|mean", "from 1 (default: all; mean in a terminal)", which});
  add_text(app, flags.style,
           {"--style", "NAME", "of svg and png: matrix (default) or lines", which});
  add_text(app, flags.token, {"--token", "N", "only the lines of this token, from 1", which});
  const std::string corpus = "Over a file";
  add_text(app, flags.input,
           {"-i,--input", "FILE", "figures of every head, averaged over these sentences", corpus});
  add_text(app, flags.target_input,
           {"--target-input", "FILE", "their translations (default: the model's)", corpus});
  add_text(app, flags.gold,
           {"--align-error", "FILE",
            "alignment error of every head against these links (3-4 sure, 3p4 possible)", corpus});
  add_text(app, flags.gold_base,
           {"--gold-base", "0|1", "the number of the first word there (default 0)", corpus});
  const std::string run_group = "Run";
  add_text(app, flags.device, {"--device", "cpu|cuda", "where to run (default cpu)", run_group});
  add_text(app, flags.threads, {"--threads", "N", "CPU threads (default: all)", run_group});
}

}  // namespace

Command add_attention(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"attention",
       "show the attention of every layer and head: in the terminal, as a page, as a figure",
       "yona attention --model run --source \"A man rides a horse.\"\n"
       "yona attention --model run --source \"A man rides a horse.\" --output attention.html\n"
       "yona attention --model run --source \"A man\" --target \"Ein Mann\" --style lines \\\n"
       "               --layer 2 --output figure.svg\n"
       "yona attention --model vit --image cat.jpg --output cat.html\n"
       "yona attention --model run --input test.en --target-input test.de --align-error "
       "test.align"});
  const auto flags = std::make_shared<AttentionFlags>();
  add_flags(*app, *flags);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
