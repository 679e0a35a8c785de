#include "yona/tasks/question_answering/config_keys.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/data/stories/story_tasks.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/metric_checks.h"
#include "yona/tasks/question_answering/question_evaluation.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

ConfigKeys<QuestionsConfig> question_data_keys() {
  using Config = QuestionsConfig;
  return {
      config_key("train", &Config::train, paths_codec(), OnResume::content,
                 "files of stories with questions in bAbI's format; .gz, .xz and .zst are read as "
                 "they are; none: stories of the generator"),
      config_key("valid", &Config::valid, paths_codec(), OnResume::free,
                 "held-out files of the same format, one for each task; the mean of their errors "
                 "decides which model is the best"),
      config_key("tasks", &Config::tasks, texts_codec(), OnResume::fixed,
                 "without files: tasks of the generator by name; empty: all twenty"),
      integer("questions", &Config::questions, {1, 1 << 24}, OnResume::fixed,
              "questions of each of these tasks to train on; a fifth as many more are held out")};
}

ConfigKeys<RunConfig> make_question_keys() {
  ConfigKeys<RunConfig> keys;
  append(keys, lift("model", &RunConfig::questions,
                    ConfigKeys<QuestionsConfig>{choice("arch", &QuestionsConfig::arch,
                                                       OnResume::fixed, "the architecture")}));
  append(keys, lift("model", &RunConfig::memory_network, memory_network_keys()));
  append(keys, lift("data", &RunConfig::questions, question_data_keys()));
  append(keys, lift("train", &RunConfig::train,
                    train_keys({question_figure_names(),
                                "error (percent of questions with a wrong answer, the mean over "
                                "tasks), failed_tasks (with an error above 5 percent)"})));
  return keys;
}

}  // namespace

const ConfigKeys<RunConfig>& question_answering_keys() {
  static const ConfigKeys<RunConfig> keys = make_question_keys();
  return keys;
}

void set_question_defaults(RunConfig& config) {
  TrainConfig& train = config.train;
  train.updates = 10000;
  train.batch_tokens = 1024;  // about 32 questions
  train.schedule = {.kind = ScheduleKind::cosine, .rate = 5e-3, .warmup = 200, .final_rate = 1e-5};
  train.beta2 = 0.999;
  train.epsilon = 1e-8;
  train.clip_norm = 1.0;
  train.label_smoothing = 0.0;
  train.valid_every = train.save_every = 1000;
  train.valid_metrics = {"error", "failed_tasks"};
  train.best_by = "error";
}

void check_question_config(const RunConfig& config) {
  const QuestionsConfig& questions = config.questions;
  for (const std::filesystem::path& path : questions.train) {
    check_data_file(path, "data.train");
  }
  for (const std::filesystem::path& path : questions.valid) {
    check_data_file(path, "data.valid");
  }
  check(questions.train.empty() || questions.tasks.empty(),
        "data.tasks: are stories of the generator, but data.train names files; leave one out");
  check(!questions.train.empty() || questions.valid.empty(),
        "data.valid: names files, but data.train does not; stories of the generator have held-out "
        "ones of their own");
  const std::vector<std::string> names = story_task_names();
  for (const std::string& task : questions.tasks) {
    check(std::find(names.begin(), names.end(), task) != names.end(),
          "data.tasks: '{}' is not a task of the generator; use {}", task, join_names(names));
  }
  const TrainConfig& train = config.train;
  check(train.rdrop == 0, "train.rdrop: is {}, but a memory network has no dropout", train.rdrop);
  check_metric_names(train, question_figure_names());
  check_best_by(train);
  check(train.patience == 0 || !questions.valid.empty() || questions.train.empty(),
        "train.patience: stopping early needs a validation file (--valid)");
}

void make_question_paths_absolute(RunConfig& config) {
  make_absolute(config.questions.train);
  make_absolute(config.questions.valid);
}

}  // namespace yona
