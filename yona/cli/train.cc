// `yona train`: from files to a model folder.

#include "yona/tasks/train.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/thread_pool.h"
#include "yona/cli/commands.h"
#include "yona/cli/exit_codes.h"
#include "yona/cli/run_flags.h"
#include "yona/cli/stop_signals.h"
#include "yona/io/model_folder.h"
#include "yona/parallel/gpus.h"
#include "yona/parallel/nccl.h"
#include "yona/parallel/ranks.h"
#include "yona/serve/dashboard.h"
#include "yona/tasks/recorded_config.h"
#include "yona/train/reporters.h"
#include "yona/train/run_folder.h"
#include "yona/train/run_log.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDashboardSamples = 4;  // sentences

struct TrainFlags {
  RunFlags run;
  std::string output, init, progress;
  std::string device = "cpu";
  std::string threads = "0";
  std::vector<std::string> allow_hosts;
  std::string dashboard_host = "127.0.0.1", dashboard_port = "8081";
  bool resume = false;
  bool allow_changes = false;
  bool dashboard = false;
};

ProgressStyle progress_style(const std::string& name) {
  const std::string word =
      word_value("--progress", name.empty() ? "bar" : name, {"bar", "plain", "quiet", "json"});
  if (word == "json") {
    return ProgressStyle::json;
  }
  const bool is_quiet = !log().should_log(spdlog::level::info);  // -q
  if (word == "quiet" || is_quiet) {
    return ProgressStyle::quiet;
  }
  return word == "bar" ? ProgressStyle::bar : ProgressStyle::plain;
}

void check_init(const TrainFlags& flags) {
  check(flags.init.empty() || is_model_folder(flags.init),
        "--init: {}: is not a model folder (no config.json)", flags.init);
  check(flags.init.empty() || flags.run.preset.empty(),
        "--preset: is given together with --init, whose model has a shape of its own; leave one "
        "out");
}

// A resumed run goes by the configuration that it began with. Where another is named, it has what
// that one leaves open.
RunConfig config_of(const TrainFlags& flags) {
  RunFlags run = flags.run;
  const fs::path recorded = fs::path(flags.output) / "config.yaml";
  if (std::error_code error; flags.resume && run.config.empty() && fs::exists(recorded, error)) {
    run.config = recorded;
  }
  RunConfig config = resolve(run);
  if (flags.resume) {
    follow_recorded(config, recorded, flags.allow_changes ? AllowChanges::yes : AllowChanges::no);
  }
  check_run_config(config);
  for (const std::string& warning : config_warnings(config)) {
    log().warn("{}", warning);
  }
  if (const auto hidden = keys_hidden_from_preset(flags.run, config); !hidden.empty()) {
    log().warn("--preset {} does not change what {} sets itself: {}", flags.run.preset,
               flags.run.config, fmt::join(hidden, ", "));
  }
  return config;
}

// Said before anything else is asked for: `yona train --output run` mostly means --resume.
void check_folder(const TrainFlags& flags) {
  check(flags.resume || !flags.allow_changes,
        "--allow-changes: is given without --resume, which it belongs to");
  check_run_folder(flags.output, flags.resume);
  const RunFlags& run = flags.run;
  const bool has_data = !run.config.empty() || has_files(run.files) || !run.sets.empty();
  const fs::path recorded = fs::path(flags.output) / "config.yaml";
  std::error_code error;
  check(!flags.resume || has_data || fs::exists(flags.output, error),
        "--resume: {}: no such folder; to begin a run there, give {}", flags.output,
        training_flags(run.task.empty() ? RunConfig().task : run.task));
  check(!flags.resume || has_data || fs::exists(recorded, error),
        "--resume: {}: has no config.yaml, in which a run keeps its settings; give the settings "
        "that it began with (--config, --train-src …)",
        flags.output);
}

// This run and those in the same folder, in a browser. Begun after the signals are taken, whose
// mask its thread inherits.
std::unique_ptr<serve::Dashboard> open_dashboard(const TrainFlags& flags) {
  if (!flags.dashboard) {
    return nullptr;
  }
  serve::HttpServerOptions options{.host = flags.dashboard_host, .allow_hosts = flags.allow_hosts};
  options.port = static_cast<std::uint16_t>(
      integer_value("--dashboard-port", flags.dashboard_port, {0, 65535}));
  const fs::path output = fs::absolute(fs::path(flags.output) / "x").parent_path();
  auto dashboard = std::make_unique<serve::Dashboard>(
      serve::RunsPlace{output.parent_path(), output.filename().string()}, options);
  log().info("dashboard at http://{}:{}", flags.dashboard_host, dashboard->port());
  return dashboard;
}

// Ranks that share CPUs share them out, unless the user says how many threads each has.
void take_place(Communicator& ranks, TrainerOptions& options) {
  const RankNeighbours neighbours = rank_neighbours(ranks);
  options.ranks = &ranks;
  options.ranks_on_machine = neighbours.on_machine;
  if (options.threads == 0) {
    options.threads = std::max(1, available_cpus() / neighbours.on_cpus);
  }
  if (options.device == "cuda") {
    take_gpu(ranks);
    open_nccl(ranks);
  }
}

int run(const CLI::App& app, const TrainFlags& flags) {
  require_flag(app, "--output", !flags.output.empty(), "name a folder for the model and the run");
  Communicator* ranks = join_ranks();
  const bool leads = ranks == nullptr || ranks->rank() == 0;
  check_folder(flags);
  const ProgressStyle style = progress_style(flags.progress);
  check_init(flags);
  TrainerOptions options;
  options.began = options.clock();
  options.output = flags.output;
  options.resume = flags.resume;
  options.allow_changes = flags.allow_changes;
  options.init = flags.init;
  options.device = word_value("--device", flags.device, {"cpu", "cuda"});
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  if (ranks != nullptr) {
    take_place(*ranks, options);
  }
  if (!leads) {  // what is said is said once
    log().set_level(spdlog::level::off);
  }
  RunConfig config = config_of(flags);
  const std::unique_ptr<Reporter> reporter = make_reporter(style, config.train.log_every);
  RunLog run_log(flags.output, config.train.log_every);
  Reporters reporters(reporter.get());
  reporters.add(run_log);
  options.reporter = leads ? &reporters : nullptr;
  const StopSignals signals(ranks == nullptr ? StopNotice::told : StopNotice::silent);
  const std::unique_ptr<serve::Dashboard> dashboard = leads ? open_dashboard(flags) : nullptr;
  options.stop = &signals.stop();
  options.samples = flags.dashboard ? kDashboardSamples : 0;
  return train(std::move(config), options).interrupted ? kInterrupted : 0;
}

}  // namespace

Command add_train(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"train", "train a model on parallel text, or with --task on other data",
                "yona train --train-src train.en --train-tgt train.de --valid-src valid.en "
                "--valid-tgt valid.de \\\n"
                "           --src-lang en --tgt-lang de --for 20m --output run\n"
                "yona train --output run --resume\n"
                "yona train --config my.yaml --set train.learning_rate=2 --output run2\n"
                "yona train --init nllb-200-distilled-600M --src-lang eng_Latn --tgt-lang deu_Latn "
                "\\\n"
                "           --train-src my.en --train-tgt my.de --output tuned \\\n"
                "           --set train.schedule=constant --set train.learning_rate=3e-5"});
  const auto flags = std::make_shared<TrainFlags>();
  constexpr const char* kRun = "Run";
  add_text(*app, flags->output,
           {"-o,--output", "DIR", "the run's folder, which is the model's folder too", kRun});
  add_switch(
      *app, flags->resume,
      {"--resume", "", "resume the run in --output, bit for bit as if it had never stopped", kRun});
  add_switch(*app, flags->allow_changes,
             {"--allow-changes", "",
              "with --resume: continue although settings or data have changed", kRun});
  add_text(*app, flags->init,
           {"--init", "DIR",
            "fine-tune this model: yona's, Marian's or one from the Hugging Face hub", kRun});
  add_text(*app, flags->device, {"--device", "cpu|cuda", "where to run (default cpu)", kRun});
  add_text(*app, flags->threads,
           {"--threads", "N", "CPU threads (default: all that may be used)", kRun});
  add_text(*app, flags->progress,
           {"--progress", "STYLE",
            "bar (the default; plain where there is no terminal), plain, "
            "quiet or json (one object a line on standard output)",
            kRun});
  add_switch(*app, flags->dashboard,
             {"--dashboard", "",
              "show the curves of this run and of others in the same folder in a browser", kRun});
  add_text(*app, flags->dashboard_port,
           {"--dashboard-port", "N", "its port (default 8081; 0: any free port)", kRun});
  add_text(
      *app, flags->dashboard_host,
      {"--dashboard-host", "ADDRESS", "its address (default 127.0.0.1: only this machine)", kRun});
  add_repeated(*app, flags->allow_hosts,
               {"--allow-host", "NAME",
                "a name that the dashboard answers to besides localhost and its address", kRun});
  add_run_flags(*app, flags->run);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
