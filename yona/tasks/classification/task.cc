#include "yona/tasks/classification/task.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/tasks/classification/class_evaluation.h"
#include "yona/tasks/classification/classification_objective.h"
#include "yona/tasks/encoder/encoder_keys.h"

namespace yona {

namespace {

std::vector<LabelledFile> read_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<LabelledFile> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    files.push_back(read_labelled_texts(path));
  }
  return files;
}

LabelSet::Kind kind_of(const std::string& problem) {
  return problem == "classes"      ? LabelSet::Kind::classes
         : problem == "regression" ? LabelSet::Kind::numbers
                                   : LabelSet::Kind::detect;
}

// spearman is for numbers, the others for classes.
void check_figures(const TrainConfig& train, bool is_regression) {
  for (const std::string& name : train.valid_metrics) {
    check((name == "spearman") == is_regression, "train.valid_metrics: {} is for {}; the labels {}",
          name, is_regression ? "classes" : "numbers",
          is_regression ? "are numbers: use spearman" : "are classes: use accuracy, f1, matthews");
  }
}

}  // namespace

ClassificationTask::ClassificationTask(RunConfig run_config, const RunPlace& run_place)
    : EncoderTask(std::move(run_config), run_place),
      files_(read_files(config().texts.train)),
      labels_(LabelSet::of(files_, kind_of(config().texts.problem))) {
  if (!config().texts.valid.empty()) {
    check_figures(config().train, labels_.is_regression());
  }
  prepare({.labels = labels_.names(),
           .problem = labels_.is_regression() ? Problem::regression : Problem::single_label},
          [&](WordCounts& words) {
            for (const LabelledFile& file : files_) {
              for (const LabelledText& text : file.texts) {
                words.add(text.first);
                words.add(text.second.value_or(""));
              }
            }
          });
  check(info().labels == labels_.names(),
        "data.train: its labels are {}, those that the run began with {}",
        fmt::join(labels_.names(), ", "), fmt::join(info().labels, ", "));
}

std::unique_ptr<Objective> ClassificationTask::make_objective() const {
  return std::make_unique<ClassificationObjective>(
      info().config, ClassificationLoss{.problem = info().problem,
                                        .label_smoothing = config().train.label_smoothing,
                                        .rdrop = config().train.rdrop});
}

void ClassificationTask::report_cut(const LabelledExamples& examples,
                                    const std::string& name) const {
  place().reporter.message(
      MessageLevel::info,
      fmt::format("{}: {}, {} labels", name, counted(examples.count(), "text"),
                  labels_.is_regression() ? "numbers as" : std::to_string(labels_.names().size())));
  if (examples.cut_texts() > 0) {
    place().reporter.message(
        MessageLevel::warning,
        fmt::format("{}: {} cut to {} tokens (data.max_length)", name,
                    counted(static_cast<std::uint64_t>(examples.cut_texts()), "text"),
                    longest_text(config())));
  }
}

std::shared_ptr<const Examples> ClassificationTask::open_training() {
  auto examples = std::make_shared<const LabelledExamples>(
      files_, labels_, tokenizer(),
      LabelledOptions{.max_length = longest_text(config()), .hidden = config().texts.hidden});
  report_cut(*examples, "train");
  return examples;
}

double ClassificationTask::passes(const Examples& examples) const {
  return place().init.empty() ? EncoderTask::passes(examples) / 5 : 4;
}

std::vector<std::unique_ptr<Evaluation>> ClassificationTask::open_evaluations(
    Objective& objective, const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> evaluations;
  if (config().texts.valid.empty()) {
    return evaluations;
  }
  const LabelledExamples examples({read_labelled_texts(config().texts.valid)}, labels_, tokenizer(),
                                  {.max_length = longest_text(config())});
  report_cut(examples, "valid");
  evaluations.push_back(std::make_unique<ClassEvaluation>(
      examples, dynamic_cast<ClassificationObjective&>(objective).model(), place().backend,
      ClassEvaluation::Options{.problem = info().problem, .figures = train.valid_metrics}));
  return evaluations;
}

void check_classification_start(const RunConfig& config, const std::filesystem::path& /*init*/) {
  check(!config.texts.train.empty(),
        "train: there is no training data; give --train, or data.train in the configuration");
}

}  // namespace yona
