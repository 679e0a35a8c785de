// `yona fill`: lines with masks in, the most probable words out.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/cli/commands.h"
#include "yona/cli/encoder_flags.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

struct FillFlags {
  EncoderFlags encoder;
  std::string text;
  std::string top = "5";
};

Json json_of(const std::vector<FilledMask>& masks) {
  Json line = Json::object();
  line["masks"] = Json::array();
  for (const FilledMask& mask : masks) {
    Json candidates = Json::array();
    for (const MaskCandidate& candidate : mask.candidates) {
      Json entry{{"token", candidate.token}, {"probability", candidate.probability}};
      if (!candidate.text.empty()) {
        entry["text"] = candidate.text;
      }
      candidates.push_back(std::move(entry));
    }
    line["masks"].push_back({{"place", mask.place}, {"candidates", std::move(candidates)}});
  }
  return line;
}

void print_masks(const std::vector<FilledMask>& masks, bool json) {
  if (json) {
    fmt::print("{}\n", json_of(masks).dump());
    return;
  }
  for (const FilledMask& mask : masks) {
    for (const MaskCandidate& candidate : mask.candidates) {
      fmt::print("{:.6f}\t{}{}{}\n", candidate.probability, candidate.token,
                 candidate.text.empty() ? "" : "\t", candidate.text);
    }
  }
}

int run(const CLI::App& app, const FillFlags& flags) {
  check(flags.text.empty() || flags.encoder.input.empty(),
        "fill: give --text or --input, not both");
  check(is_utf8(flags.text), "--text: is not UTF-8");
  const std::int64_t top = integer_value("--top", flags.top, {1, 1 << 20});
  const TextEncoder encoder = load_encoder(app, flags.encoder);
  if (!flags.text.empty()) {
    print_masks(encoder.fill(flags.text, top), flags.encoder.json);
    return 0;
  }
  std::uint64_t number = 0;
  for_each_window(flags.encoder, [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      ++number;
      try {
        print_masks(encoder.fill(line, top), flags.encoder.json);
      } catch (const InvalidArgument& error) {
        fail("line {}: {}", number, error.what());
      }
    }
  });
  return 0;
}

}  // namespace

Command add_fill(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"fill", "find the most probable words for the masks in each line of text",
                "yona fill --model bert-base-uncased --text 'Paris is the [MASK] of "
                "France.'\n"
                "yona fill --model roberta-base --input lines.txt --top 3 --json"});
  const auto flags = std::make_shared<FillFlags>();
  add_encoder_flags(*app, flags->encoder, "a JSON object a line: masks, with place and candidates");
  add_text(*app, flags->text, {"--text", "TEXT", "one text, instead of lines"});
  add_text(*app, flags->top, {"--top", "N", "candidates of each mask (default 5)"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
