// `yona embed`: lines in, vectors out, in order.

#include <memory>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/base/json.h"
#include "yona/base/log.h"
#include "yona/cli/bulk.h"
#include "yona/cli/commands.h"
#include "yona/cli/encoder_flags.h"
#include "yona/cli/translation_input.h"

namespace yona::cli {

namespace {

struct EmbedFlags {
  EncoderFlags encoder;
  std::string pooling, prompt, output, chunk_lines;
  bool no_normalize = false;
};

EmbedTextOptions options_of(const CLI::App& app, const EmbedFlags& flags) {
  EmbedTextOptions options;
  if (!flags.pooling.empty()) {
    options.pooling = word_value("--pooling", flags.pooling, {"mean", "cls", "max"});
  }
  if (flags.no_normalize) {
    options.normalise = false;
  }
  if (app.count("--prompt") > 0) {
    options.prompt = flags.prompt;
  }
  return options;
}

int run(const CLI::App& app, EmbedFlags flags) {
  const EmbedTextOptions options = options_of(app, flags);
  WorkerFlags& workers = flags.encoder.workers;
  Communicator* ranks = join_bulk_ranks(workers.device, workers.threads, workers.workers);
  Bulk bulk(app,
            {.input = flags.encoder.input,
             .output = flags.output,
             .beside = {},
             .chunk_lines = flags.chunk_lines},
            ranks);
  const TextEncoder encoder = load_encoder(app, flags.encoder);
  std::uint64_t cut = 0;
  InputChecks checks(flags.encoder.input, BadEncoding::repair);
  bulk.run({.answer = [&](std::vector<InputLine>& lines) {
    std::string out;
    for (const EmbeddedText& text : encoder.embed(accepted(lines, checks), options)) {
      cut += text.is_cut ? 1 : 0;
      out += flags.encoder.json ? Json{{"embedding", text.vector}, {"tokens", text.tokens}}.dump()
                                : fmt::format("{}", fmt::join(text.vector, " "));
      out += "\n";
    }
    return out;
  }});
  checks.report();
  if (cut > 0) {
    log().warn("{} longer than the model takes: cut at the end", counted(cut, "text"));
  }
  return 0;
}

}  // namespace

Command add_embed(CLI::App& program) {
  CLI::App* app =
      add_command(program, {"embed", "compute a vector for each line of text",
                            "yona embed --model all-MiniLM-L6-v2 --input sentences.txt --json\n"
                            "yona embed --model bert-base-uncased --pooling cls --no-normalize"});
  const auto flags = std::make_shared<EmbedFlags>();
  add_encoder_flags(*app, flags->encoder, "a JSON object a line: embedding, tokens");
  add_text(*app, flags->output,
           {"-o,--output", "FILE", "where vectors go (default: standard output); .gz, .xz, .zst"});
  add_chunk_lines(*app, flags->chunk_lines);
  add_text(*app, flags->pooling,
           {"--pooling", "mean|cls|max",
            "how tokens become one vector (default: as the folder says, else mean)"});
  add_text(*app, flags->prompt,
           {"--prompt", "NAME", "a prompt of the folder to put in front of each text; '': none"});
  add_switch(*app, flags->no_normalize,
             {"--no-normalize", "",
              "leave vectors as they are (default: as the folder says, else "
              "scaled to length 1)"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
