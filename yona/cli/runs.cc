// `yona runs`: past and present training runs of a folder, a line each, or drawn in a browser.

#include "yona/serve/runs.h"

#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/server_signals.h"
#include "yona/serve/dashboard.h"

namespace yona::cli {

namespace {

struct RunsFlags {
  std::string folder = ".", host = "127.0.0.1", port = "8081";
  std::vector<std::string> allow_hosts;
  bool json = false, serve = false;
};

Json run_json(const serve::RunSummary& run) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"name", run.name},
          {"model", run.model},
          {"state", run.state},
          {"update", run.update},
          {"updates", run.updates},
          {"loss", number(run.loss)},
          {"best_loss", number(run.best_loss)},
          {"figures", run.figures},
          {"seconds", run.seconds}};
}

void print_run(const serve::RunSummary& run) {
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("-");
  };
  std::string figures;
  for (const auto& [name, value] : run.figures.items()) {
    figures += value.is_number() ? fmt::format("  {} {:.1f}", name, value.get<double>()) : "";
  }
  fmt::print("{:24} {:10} {:>9}/{:<9} loss {:>8}  best {:>8}{}  {}  {}\n", run.name, run.model,
             grouped(run.update), grouped(run.updates), number(run.loss), number(run.best_loss),
             figures, short_duration(run.seconds), run.state);
}

int serve_runs(const RunsFlags& flags) {
  ServerSignals signals;
  serve::HttpServerOptions options{.host = flags.host, .allow_hosts = flags.allow_hosts};
  options.port = static_cast<std::uint16_t>(integer_value("--port", flags.port, {0, 65535}));
  serve::RunWatch watch({flags.folder});
  serve::Router router;
  router.add(serve::dashboard_routes({flags.folder}, watch, ""));
  serve::HttpServer server(options, [&](const auto& exchange) { router.handle(exchange); });
  log().info("the runs of {} at http://{}:{}; Ctrl-C ends", flags.folder, flags.host,
             server.port());
  signals.listen(
      [&] {
        watch.end();
        server.stop(std::chrono::seconds(1));
      },
      [] {});
  server.run();
  signals.end();
  return 0;
}

int run(const RunsFlags& flags) {
  require_folder("--folder", flags.folder);
  if (flags.serve) {
    return serve_runs(flags);
  }
  const std::vector<std::string> names = serve::run_names(flags.folder);
  Json list = Json::array();
  for (const std::string& name : names) {
    const serve::RunSummary run = serve::run_summary(std::filesystem::path(flags.folder) / name);
    if (flags.json) {
      list.push_back(run_json(run));
    } else {
      print_run(run);
    }
  }
  if (flags.json) {
    fmt::print("{}\n", list.dump());
  } else if (names.empty()) {
    log().info("{}: no folder in it holds a run (log.jsonl)", flags.folder);
  }
  return 0;
}

}  // namespace

Command add_runs(CLI::App& program) {
  CLI::App* app = add_command(program, {"runs", "list the training runs of a folder",
                                        "yona runs\n"
                                        "yona runs --folder experiments --json\n"
                                        "yona runs --folder experiments --serve"});
  const auto flags = std::make_shared<RunsFlags>();
  add_text(*app, flags->folder,
           {"--folder", "DIR", "the folder that the runs' folders are in (default: this one)"});
  add_switch(*app, flags->json, {"--json", "", "a list of objects"});
  add_switch(*app, flags->serve, {"--serve", "", "draw their curves in a browser, side by side"});
  add_text(*app, flags->host, {"--host", "ADDRESS", "of --serve (default 127.0.0.1)"});
  add_repeated(*app, flags->allow_hosts,
               {"--allow-host", "NAME",
                "of --serve: answer to this name too; may be given several times ('*': any)"});
  add_text(*app, flags->port, {"--port", "N", "of --serve (default 8081; 0: any free port)"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
