// `yona study`: the paper's questions, measured; a page with figures and a JSON file each.

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/stop_signals.h"
#include "yona/study/studies.h"
#include "yona/train/progress_bar.h"

namespace yona::cli {

namespace {

struct StudyFlags {
  std::string name, output, device = "cpu", threads = "0", seed = "1", text;
  bool quick = false;
};

std::string study_list() {
  std::string text;
  for (const StudyKind& kind : study_kinds()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", kind.name, kind.question);
  }
  return text;
}

// A bar on a terminal, a line for each point elsewhere.
void show_progress(std::int64_t done, std::int64_t points, const std::string& next) {
  if (!standard_error_can_redraw()) {
    if (!next.empty()) {
      log().info("{}/{} {}", done + 1, points, next);
    }
    return;
  }
  constexpr int kBarColumns = 24;
  const TerminalPort port = standard_error_port();
  const double share = points == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(points);
  const std::string line = fmt::format(
      "{}{} {}/{} {}", kEraseLine, drawn_bar(share, kBarColumns, port.unicode), done, points, next);
  port.write(next.empty() ? std::string(kEraseLine) : line);
}

int run(const CLI::App& app, const StudyFlags& flags) {
  check(!flags.name.empty(), "study: NAME is required; see `yona study --help`");
  const StudyKind& kind = study_kind(flags.name);
  require_flag(app, "--output", !flags.output.empty(), "name a folder for the page");
  StopSignals signals;
  StudyOptions options;
  options.output = flags.output;
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
  options.size = flags.quick ? StudySize::small : StudySize::normal;
  options.text = flags.text;
  options.stop = &signals.stop();
  options.progress = show_progress;
  run_study(kind, options);
  fmt::print("{}\n", (options.output / "page.html").string());
  return 0;
}

}  // namespace

Command add_study(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"study", "measure one of the paper's questions: a page with figures, and a JSON file",
       "yona study table1 --output table1\nyona study positions --output positions --seed 2"});
  const auto flags = std::make_shared<StudyFlags>();
  app->add_option("NAME", flags->name, study_list())->type_name("");
  add_text(*app, flags->output,
           {"-o,--output", "DIR",
            "folder for page.html, study.json and the figures; a study that was stopped continues "
            "there"});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to compute (default cpu)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_text(*app, flags->seed, {"--seed", "N", "random seed of weights and data (default 1)"});
  add_text(*app, flags->text,
           {"--text", "FILE",
            "labelled sentences, label<TAB>sentence with a header line (SST-2's form), which "
            "long-range classifies by bytes"});
  add_switch(*app, flags->quick,
             {"--quick", "",
              "tiny sizes, in seconds: shows what the page looks like; its numbers mean little"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
