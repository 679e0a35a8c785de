// `yona average`: the mean of several checkpoints of a run as a model of its own.

#include "yona/tasks/average.h"

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/cli/commands.h"

namespace yona::cli {

namespace {

struct AverageFlags {
  std::string run, output, last, best;
  std::vector<std::string> checkpoints;
  bool json = false;
};

AverageOptions options_of(const CLI::App& app, const AverageFlags& flags) {
  require_flag(app, "--output", !flags.output.empty(), "name a folder for the new model");
  require_flag(app, "--run", !flags.run.empty(), "name the folder of a training run");
  const int ways = (flags.last.empty() ? 0 : 1) + (flags.best.empty() ? 0 : 1) +
                   (flags.checkpoints.empty() ? 0 : 1);
  check(ways <= 1, "average: --last, --best and --checkpoints exclude each other; give one");
  require_folder("--run", flags.run);
  AverageOptions options;
  options.run = flags.run;
  options.output = flags.output;
  options.checkpoints = path_list(flags.checkpoints);
  for (const std::filesystem::path& path : options.checkpoints) {
    require_folder("--checkpoints", path);
  }
  if (!flags.last.empty()) {
    options.last = integer_value("--last", flags.last, {1});
  }
  if (!flags.best.empty()) {
    options.best = integer_value("--best", flags.best, {1});
  }
  return options;
}

int run(const CLI::App& app, const AverageFlags& flags) {
  const auto used = average_checkpoints(options_of(app, flags));
  std::vector<std::string> names;
  names.reserve(used.size());
  for (const std::filesystem::path& path : used) {
    names.push_back(path.filename().string());
  }
  if (flags.json) {
    fmt::print("{}\n", Json{{"checkpoints", names}, {"output", flags.output}}.dump());
  } else {
    fmt::print("the mean of {} is in {}\n", fmt::join(names, ", "), flags.output);
  }
  return 0;
}

}  // namespace

Command add_average(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"average", "average checkpoints of a run into one model, as in the paper (§6.1)",
                "yona average --run run --last 5 --output averaged\n"
                "yona average --run run --best 3 --output averaged"});
  const auto flags = std::make_shared<AverageFlags>();
  add_text(*app, flags->run, {"--run", "DIR", "folder of a training run"});
  add_text(*app, flags->output, {"-o,--output", "DIR", "folder for the new model"});
  add_text(*app, flags->last, {"--last", "N", "the N newest checkpoints (default 5)"});
  add_text(*app, flags->best, {"--best", "N", "or the N best by train.best_by (validation loss)"});
  add_list(*app, flags->checkpoints, {"--checkpoints", "DIR…", "or these checkpoint folders"});
  add_switch(*app, flags->json, {"--json", "", "the result as JSON"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
