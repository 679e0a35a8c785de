// `yona perplexity`: how well a language model predicts a text.

#include "yona/tasks/language_model/perplexity.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/data/byte_source.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/model_kind.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

struct PerplexityFlags {
  std::string model, input;
  std::string context = "0", stride = "0";
  std::string device = "cpu", threads = "0", compute_type;
  bool json = false;
};

// The whole text of --input; "-" is standard input.
std::string read_text(const std::string& input) {
  if (input != "-") {
    require_file("--input", input);
  }
  const std::string name = input == "-" ? "standard input" : input;
  const std::unique_ptr<ByteSource> source = open_bytes(input == "-" ? "/dev/stdin" : input);
  std::string text;
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  for (std::size_t got = kBlock; got == kBlock;) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    got = source->read(text.data() + before, kBlock);
    text.resize(before + got);
  }
  check<FormatError>(is_utf8(text), "{}: is not UTF-8", name);
  check(!text.empty(), "{}: is empty", name);
  return text;
}

Json json_of(const Perplexity& result) {
  return {{"perplexity", result.per_token},
          {"word_perplexity", result.words > 0 ? Json(result.per_word) : Json()},
          {"byte_perplexity", result.per_byte},
          {"bits_per_byte", result.bits_per_byte},
          {"nll", result.nll},
          {"tokens", result.tokens},
          {"words", result.words},
          {"bytes", result.bytes},
          {"windows", result.windows}};
}

// On a GPU figures are those of f32.
ComputeType perplexity_type(const std::string& flag, const std::string& device) {
  check(device == "cpu" || flag.empty() || flag == "f32",
        "--compute-type: on a GPU perplexity is computed in f32, not {}", flag);
  return device == "cpu" ? compute_type(flag, device) : ComputeType{.packing = Packing::no};
}

int run_perplexity(const CLI::App& app, const PerplexityFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name a model folder");
  require_flag(app, "--input", !flags.input.empty(), "name a text file, or - for standard input");
  require_folder("--model", flags.model);
  check_model_kind(flags.model, ModelKind::language_model, "yona perplexity");
  const PerplexityOptions options{
      .context = integer_value("--context", flags.context, {0, 1 << 24}),
      .stride = integer_value("--stride", flags.stride, {0, 1 << 24})};
  const int threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const std::string device = word_value("--device", flags.device, {"cpu", "cuda"});
  const ComputeType asked = perplexity_type(flags.compute_type, device);
  const std::unique_ptr<Backend> backend = make_backend(device, {.threads = threads});
  const ComputeType type = asked.of_language_model(backend->device());
  const std::string text = read_text(flags.input);
  const auto model = LanguageModel::load(flags.model, *backend, type.packing_of(flags.model));
  const Perplexity result = perplexity(model->model(), model->tokenizer(), text, options, *backend);
  if (flags.json) {
    fmt::print("{}\n", json_of(result).dump());
    return 0;
  }
  fmt::print("perplexity       {:.4f}  per token ({} predicted in {} windows)\n", result.per_token,
             result.tokens, result.windows);
  if (result.words > 0) {
    fmt::print("                 {:.4f}  per word ({})\n", result.per_word, result.words);
  }
  fmt::print("                 {:.4f}  per byte ({}), {:.4f} bits\n", result.per_byte, result.bytes,
             result.bits_per_byte);
  return 0;
}

}  // namespace

Command add_perplexity(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"perplexity", "compute how well a language model predicts a text",
       "yona perplexity --model gpt2 --input test.txt\n"
       "yona perplexity --model gpt2 --input test.txt --context 1024 --stride 512 --json"});
  const auto flags = std::make_shared<PerplexityFlags>();
  add_text(*app, flags->model, {"-m,--model", "DIR", "a language model's folder"});
  add_text(*app, flags->input,
           {"-i,--input", "FILE", "the text (.gz, .xz and .zst too); -: standard input"});
  add_text(*app, flags->context,
           {"--context", "N", "tokens of a window (default: all positions of the model)"});
  add_text(*app, flags->stride,
           {"--stride", "N",
            "tokens from one window to the next (default: the context, without overlap)"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_compute_type(*app, flags->compute_type);
  add_switch(*app, flags->json, {"--json", "", "one JSON object"});
  return {app, [app, flags] { return run_perplexity(*app, *flags); }};
}

}  // namespace yona::cli
