#include "yona/api/train.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/recorded_config.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/train.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// A task whose files are keys of the configuration: data.train and data.valid.
void set_files(const std::string& name, const std::vector<fs::path>& files, RunConfig& config) {
  if (files.empty()) {
    return;
  }
  check(config.task != "translation", "{}: the task translation learns from pairs of files", name);
  const ConfigKeys<RunConfig>& keys = run_config_keys(config.task);
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [&](const auto& candidate) { return candidate.name == name; });
  check(key != keys.end(), "{}: the task {} has no such files", name, config.task);
  if (key->is_list == ListKey::no) {
    key->set(config, ConfigNode::scalar(files.front().string()), {name, "", ""});
  } else {
    key->set(config, ConfigNode::list({files.begin(), files.end()}), {name, "", ""});
  }
}

// A resumed run goes by the configuration that it began with. Where another is named, it has what
// that one leaves open.
RunConfig config_of(const TrainOptions& options) {
  fs::path file = options.config;
  const fs::path recorded = options.output / "config.yaml";
  if (options.resume && file.empty() && fs::exists(recorded)) {
    file = recorded;
  }
  std::vector<ConfigAssignment> assignments;
  for (const TrainSetting& setting : options.settings) {
    assignments.push_back(
        {setting.key, setting.value, setting.origin.empty() ? setting.key : setting.origin});
  }
  RunConfig config = resolve_config(file, assignments);
  if (options.resume) {
    follow_recorded(config, recorded, options.allow_changes ? AllowChanges::yes : AllowChanges::no);
  }
  if (!options.source.empty() || !options.tsv.empty()) {
    CorpusSpec corpus;
    corpus.source_files = options.source;
    corpus.target_files = options.target;
    corpus.tsv_files = options.tsv;
    config.data.corpora = {std::move(corpus)};
  }
  if (!options.valid.empty()) {
    config.data.valid.clear();
    for (const ValidationFiles& files : options.valid) {
      config.data.valid.push_back(
          {.name = files.name, .source = files.source, .target = files.target});
    }
  }
  set_files("data.train", options.train, config);
  set_files("data.valid",
            options.held_out.empty() ? std::vector<fs::path>{} : std::vector{options.held_out},
            config);
  check_run_config(config);
  return config;
}

class UpdateReporter : public Reporter {
 public:
  explicit UpdateReporter(const std::function<void(const UpdateReport&)>& updated)
      : updated_(updated) {}
  void updated(const UpdateReport& report) override { updated_(report); }

 private:
  const std::function<void(const UpdateReport&)>& updated_;
};

}  // namespace

TrainSummary train(const TrainOptions& options, Reporter* reporter) {
  TrainerOptions trainer;
  trainer.began = trainer.clock();
  RunConfig config = config_of(options);
  if (reporter != nullptr) {
    for (const std::string& warning : config_warnings(config)) {
      reporter->message(MessageLevel::warning, warning);
    }
  }
  trainer.output = options.output;
  trainer.resume = options.resume;
  trainer.allow_changes = options.allow_changes;
  trainer.init = options.init;
  trainer.device = options.device;
  trainer.threads = options.threads;
  trainer.reporter = reporter;
  trainer.stop = options.stop;
  const TrainResult result = train(std::move(config), trainer);
  return {.updates = result.updates,
          .best_loss = result.best_loss,
          .stopped_early = result.stopped_early,
          .interrupted = result.interrupted};
}

TrainSummary train(const TrainOptions& options,
                   const std::function<void(const UpdateReport&)>& updated) {
  UpdateReporter reporter(updated);
  return train(options, &reporter);
}

}  // namespace yona
