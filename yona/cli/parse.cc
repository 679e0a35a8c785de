// `yona parse`: sentences in, phrase-structure trees out, one a line and in order.

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "yona/api/model.h"
#include "yona/api/model_runtime.h"
#include "yona/base/error.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/cli/output_file.h"
#include "yona/cli/translation_input.h"
#include "yona/cli/translation_output.h"
#include "yona/cli/worker_backends.h"
#include "yona/inspect/tree_svg.h"
#include "yona/trees/tree_drawing.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

namespace yona::cli {

namespace {

struct ParseFlags {
  std::string model, input, output;
  std::string beam = "21", length_penalty = "0.3", format = "brackets";
  std::string compute_type, batch_tokens;
  WorkerFlags workers;
  bool tokenized = false;
};

// What is written for a sentence's tree, given in brackets.
std::string written(const std::string& tree, const std::string& format) {
  if (format == "brackets") {
    return tree + "\n";
  }
  if (format == "json") {
    return to_json(tree_of(tree)).dump() + "\n";
  }
  if (tree.empty()) {
    return format == "terminal" ? "\n" : "";
  }
  return format == "svg" ? svg_tree(tree_of(tree)) : drawn(tree_of(tree)) + "\n";
}

ParseOptions options_of(const ParseFlags& flags, const std::string& device) {
  ParseOptions options;
  options.beam = integer_value("--beam", flags.beam, {1, 1000});
  options.length_penalty =
      number_value("--length-penalty", flags.length_penalty, {.least = -100, .most = 100});
  options.tokenized = flags.tokenized;
  if (!flags.batch_tokens.empty()) {
    options.batch_tokens = decode_batch_tokens(flags.batch_tokens, device);
  }
  return options;
}

void parse_all(const Model& model, LineQueue& lines, const ParseFlags& flags,
               const ParseOptions& given) {
  TranslationOutput output(flags.output);
  InputChecks checks(flags.input, BadEncoding::repair);
  std::uint64_t pictures = 0;
  for (std::vector<InputLine> window; !(window = lines.next()).empty();) {
    std::vector<std::string> texts;
    texts.reserve(window.size());
    ParseOptions options = given;
    options.first_number = static_cast<std::int64_t>(window.front().number);
    for (InputLine& line : window) {
      texts.push_back(checks.accept(std::move(line)).text);
    }
    for (const std::string& tree : model.parse(texts, options)) {
      pictures += flags.format == "svg" && !tree.empty() ? 1 : 0;
      check(pictures <= 1,
            "--format svg: draws one sentence, and the input has more; give one line");
      output.write(written(tree, flags.format));
    }
  }
  checks.report();
}

int run(const CLI::App& app, const ParseFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name the folder of a trained parser");
  word_value("--format", flags.format, {"brackets", "json", "svg", "terminal"});
  const std::string device = device_of(flags.workers);
  const ParseOptions options = options_of(flags, device);
  const ComputeType type = compute_type(flags.compute_type, device);
  require_folder("--model", flags.model);
  protect_model_files("--output", flags.output);
  const std::unique_ptr<LineQueue> lines = open_lines(flags.input);
  check_output_apart(flags.output, {is_standard(flags.input) ? "-" : flags.input});
  const Model model(std::make_unique<ModelRuntime>(std::vector<std::filesystem::path>{flags.model},
                                                   worker_choice(flags.workers),
                                                   ModelSetOptions{.type = type}));
  model.runtime().check_task("parsing");
  parse_all(model, *lines, flags, options);
  return 0;
}

}  // namespace

Command add_parse(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"parse", "find the phrase-structure trees of sentences",
                "yona parse --model parser < sentences.txt > trees.txt\n"
                "yona parse --model parser --tokenized --input words.txt --output trees.txt\n"
                "echo 'The cat sleeps.' | yona parse --model parser --format terminal\n"
                "yona parse --model parser --beam 1 --workers 2 --threads 1 < big.txt"});
  const auto flags = std::make_shared<ParseFlags>();
  add_text(*app, flags->model,
           {"-m,--model", "DIR", "folder of a parser (yona train --task parsing)"});
  add_text(*app, flags->input,
           {"-i,--input", "FILE", "a sentence a line (default: standard input)"});
  add_text(*app, flags->output, {"-o,--output", "FILE", "the trees (default: standard output)"});
  add_switch(*app, flags->tokenized,
             {"--tokenized", "", "words are separated by spaces already, as in a treebank"});
  add_text(*app, flags->beam,
           {"--beam", "N", "hypotheses kept at each step (default 21, the paper's; 1 is greedy)"});
  add_text(*app, flags->length_penalty,
           {"--length-penalty", "X", "above 0 favours longer outputs (default 0.3, the paper's)"});
  add_text(
      *app, flags->format,
      {"--format", "FORMAT",
       "brackets (the default, a tree a line), json, terminal (drawn), svg (of one sentence)"});
  add_compute_type(*app, flags->compute_type);
  add_batch_tokens(*app, flags->batch_tokens, "2048, with --beam 1 512");
  add_worker_flags(*app, flags->workers);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
