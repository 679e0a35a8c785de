// `yona classify`: lines or pictures in, labels out, in order.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/json.h"
#include "yona/base/log.h"
#include "yona/cli/classify_images.h"
#include "yona/cli/commands.h"
#include "yona/cli/encoder_flags.h"

namespace yona::cli {

namespace {

// A tab separates the two texts of a pair.
TextSegments segments_of(const std::string& line) {
  const std::size_t tab = line.find('\t');
  return tab == std::string::npos ? TextSegments{line}
                                  : TextSegments{line.substr(0, tab), line.substr(tab + 1)};
}

std::string json_line(const ClassifiedText& text, bool is_regression) {
  Json line = Json::object();
  if (is_regression) {
    line["value"] = text.labels.front().score;
  } else {
    line["label"] = text.labels.front().label;
    line["score"] = text.labels.front().score;
    line["labels"] = Json::object();
    for (const LabelScore& label : text.labels) {
      line["labels"][label.label] = label.score;
    }
  }
  line["tokens"] = text.tokens;
  if (text.is_cut) {
    line["cut"] = true;
  }
  return line.dump();
}

struct ClassifyFlags : EncoderFlags {
  std::vector<std::string> images;
};

int run_images(const CLI::App& app, const ClassifyFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name the folder of an image classifier");
  require_folder("--model", flags.model);
  check(flags.input.empty(), "--input: is given together with --image; use one or the other");
  return classify_images(flags, path_list(flags.images));
}

int run(const CLI::App& app, const ClassifyFlags& flags) {
  if (!flags.images.empty()) {
    return run_images(app, flags);
  }
  const TextEncoder encoder = load_encoder(app, flags);
  const bool is_regression = encoder.details().is_regression;
  std::uint64_t cut = 0;
  for_each_window(flags, [&](const std::vector<std::string>& lines) {
    std::vector<TextSegments> texts;
    texts.reserve(lines.size());
    for (const std::string& line : lines) {
      texts.push_back(segments_of(line));
    }
    std::string out;
    for (const ClassifiedText& text : encoder.classify(texts)) {
      cut += text.is_cut ? 1 : 0;
      const LabelScore& best = text.labels.front();
      out += flags.json      ? json_line(text, is_regression)
             : is_regression ? fmt::format("{:.6g}", best.score)
                             : fmt::format("{}\t{:.6f}", best.label, best.score);
      out += "\n";
    }
    fmt::print("{}", out);
  });
  if (cut > 0) {
    log().warn("{} longer than the model's {} positions: cut at the end", counted(cut, "text"),
               encoder.details().max_positions);
  }
  return 0;
}

}  // namespace

Command add_classify(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"classify", "label each line of text or each picture, with its probability",
                "yona classify --model run --input reviews.txt\n"
                "echo 'A man sleeps.<TAB>A person rests.' | yona classify --model run --json\n"
                "yona classify --model vit --image cat.jpg dog.png"});
  const auto flags = std::make_shared<ClassifyFlags>();
  add_list(*app, flags->images,
           {"--image", "FILE…", "PNG, JPEG or IDX files, for a model of pictures"});
  add_encoder_flags(*app, *flags,
                    "a JSON object a line: label, score, labels, tokens; value for a regression");
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
