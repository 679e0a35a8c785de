// `yona embed`: lines in, vectors out, in order.

#include <memory>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/base/json.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/encoder_flags.h"

namespace yona::cli {

namespace {

struct EmbedFlags {
  EncoderFlags encoder;
  std::string pooling, prompt;
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

int run(const CLI::App& app, const EmbedFlags& flags) {
  const EmbedTextOptions options = options_of(app, flags);
  const TextEncoder encoder = load_encoder(app, flags.encoder);
  std::uint64_t cut = 0;
  for_each_window(flags.encoder, [&](const std::vector<std::string>& lines) {
    std::string out;
    for (const EmbeddedText& text : encoder.embed(lines, options)) {
      cut += text.is_cut ? 1 : 0;
      out += flags.encoder.json ? Json{{"embedding", text.vector}, {"tokens", text.tokens}}.dump()
                                : fmt::format("{}", fmt::join(text.vector, " "));
      out += "\n";
    }
    fmt::print("{}", out);
  });
  if (cut > 0) {
    log().warn("{} longer than the model takes: cut at the end", counted(cut, "text"));
  }
  return 0;
}

}  // namespace

Command add_embed(CLI::App& program) {
  CLI::App* app =
      add_command(program, {"embed", "a vector for each line of text",
                            "yona embed --model all-MiniLM-L6-v2 --input sentences.txt --json\n"
                            "yona embed --model bert-base-uncased --pooling cls --no-normalize"});
  const auto flags = std::make_shared<EmbedFlags>();
  add_encoder_flags(*app, flags->encoder, "a JSON object a line: embedding, tokens");
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
