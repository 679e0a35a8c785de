// `yona convert`: a model folder in another form.

#include <memory>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/cli/commands.h"
#include "yona/io/int8_folder.h"
#include "yona/io/int8_weights_file.h"

namespace yona::cli {

namespace {

struct ConvertFlags {
  std::string model, output, quantise;
  std::string threads = "0";
};

int run(const CLI::App& app, const ConvertFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name the folder of a model");
  require_flag(app, "--output", !flags.output.empty(), "name a folder for the result");
  require_flag(app, "--quantize", !flags.quantise.empty(), "say what to convert to: int8");
  word_value("--quantize", flags.quantise, {"int8"});
  require_folder("--model", flags.model);
  const auto threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = threads});
  write_int8_folder(flags.model, flags.output, *backend);
  const auto size = std::filesystem::file_size(std::filesystem::path(flags.output) / kInt8File);
  fmt::print("{}: int8 weights, {}\n", flags.output, short_bytes(static_cast<std::int64_t>(size)));
  return 0;
}

}  // namespace

Command add_convert(CLI::App& program) {
  CLI::App* app =
      add_command(program, {"convert", "write an int8 model folder, which is small and loads fast",
                            "yona convert --quantize int8 --model run --output run-int8\n"
                            "yona translate --model run-int8 < news.en > news.de"});
  const auto flags = std::make_shared<ConvertFlags>();
  add_text(*app, flags->model,
           {"-m,--model", "DIR", "a model folder: yona's, or one from the Hugging Face hub"});
  add_text(*app, flags->output,
           {"-o,--output", "DIR", "folder for the result; must not exist yet"});
  add_text(*app, flags->quantise,
           {"--quantize", "int8", "one byte per weight, for decoding on CPUs"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
