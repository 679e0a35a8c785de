// `yona generate`: text after prompts, by a decoder alone (GPT-2, Llama …).

#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yona/api/model.h"
#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/cli/bulk.h"
#include "yona/cli/commands.h"
#include "yona/cli/generate_flags.h"
#include "yona/cli/translation_input.h"
#include "yona/cli/translation_output.h"
#include "yona/io/model_kind.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

Json json_of(const GeneratedText& answer, std::uint64_t prompt, std::size_t number,
             const GenerateOptions& options) {
  Json json{{"prompt", prompt + 1}};
  if (options.answers > 1) {
    json["answer"] = number + 1;
  }
  json["text"] = answer.text;
  json["tokens"] = answer.tokens;
  json["prompt_tokens"] = answer.prompt_tokens;
  json["finish"] = answer.finish;
  if (options.logprobs >= 0) {
    json["logprobs"] = answer.logprobs;
    Json all = Json::array();
    for (const std::vector<TokenAlternative>& alternatives : answer.alternatives) {
      Json best = Json::array();
      for (const TokenAlternative& token : alternatives) {
        best.push_back({{"token", token.token}, {"logprob", token.logprob}});
      }
      all.push_back(best);
    }
    json["top_logprobs"] = all;
  }
  return json;
}

std::string text_of(const std::vector<std::vector<GeneratedText>>& answers, std::uint64_t first,
                    const GenerateFlags& flags, const GenerateOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t n = 0; n < answers[i].size(); ++n) {
      const GeneratedText& answer = answers[i][n];
      if (flags.json) {
        text += json_of(answer, first + i, n, options).dump() + "\n";
      } else {
        text += answer.text + "\n";
        if (options.logprobs >= 0) {
          text += fmt::format("{}\n", fmt::join(answer.logprobs, " "));
        }
      }
    }
  }
  return text;
}

// One answer to one prompt is shown as it grows.
bool streams(const GenerateFlags& flags, const GenerateOptions& options) {
  return is_standard(flags.output) && !flags.json && options.answers == 1 && options.logprobs < 0 &&
         options.beam == 1;
}

void answer_prompt(const Model& model, const GenerateFlags& flags, const GenerateOptions& options) {
  if (!streams(flags, options)) {
    TranslationOutput output(flags.output);
    output.write(text_of(model.generate_all({flags.prompt}, options), 0, flags, options));
    return;
  }
  model.generate(flags.prompt, options, [](const std::string& piece) {
    fmt::print("{}", piece);
    std::fflush(stdout);
    return true;
  });
  fmt::print("\n");
}

void answer_lines(Bulk& bulk, const Model& model, const GenerateFlags& flags,
                  const GenerateOptions& options) {
  InputChecks checks(flags.input, BadEncoding::repair);
  bulk.run({.answer = [&](std::vector<InputLine>& window) {
    GenerateOptions numbered = options;
    numbered.first_prompt = window.front().number - 1;
    return text_of(model.generate_all(accepted(window, checks), numbered), numbered.first_prompt,
                   flags, options);
  }});
  checks.report();
}

int run(const CLI::App& app, GenerateFlags flags) {
  Communicator* ranks = join_bulk_ranks(flags.device, flags.threads);
  require_flag(app, "--model", !flags.model.empty(), "name the folder of a language model");
  require_flag(app, "--prompt", flags.has_prompt(app) || !flags.input.empty(),
               "give the beginning of a text, or --input FILE with one in each line");
  check(!flags.has_prompt(app) || flags.input.empty(),
        "generate: give --prompt or --input, not both");
  check(is_utf8(flags.prompt), "--prompt: is not UTF-8");
  require_folder("--model", flags.model);
  check_model_kind(flags.model, ModelKind::language_model, "yona generate");
  const GenerateOptions options = options_of(flags);
  std::optional<Bulk> bulk;
  if (ranks != nullptr || !flags.input.empty()) {
    bulk.emplace(app,
                 BulkFiles{.input = flags.input,
                           .output = flags.output,
                           .beside = {},
                           .chunk_lines = flags.chunk_lines},
                 ranks);
  }
  const Model model = Model::load(flags.model, load_options_of(flags));
  if (bulk) {
    answer_lines(*bulk, model, flags, options);
  } else {
    answer_prompt(model, flags, options);
  }
  return 0;
}

}  // namespace

Command add_generate(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"generate", "continue a text with a language model (GPT-2, Llama …)",
                "yona generate --model gpt2 --prompt 'Once upon a time' --max-new 50\n"
                "yona generate --model gpt2 --prompt 'Dear' --temperature 0.8 --top-p 0.95 --n 3\n"
                "yona generate --model gpt2 --input prompts.txt --json > answers.jsonl"});
  const auto flags = std::make_shared<GenerateFlags>();
  add_generate_flags(*app, *flags);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
