#include "yona/tasks/question_answering/task.h"

#include <algorithm>
#include <set>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/random.h"
#include "yona/data/stories/story_tasks.h"
#include "yona/io/folder_update.h"
#include "yona/io/json_file.h"
#include "yona/tasks/question_answering/memory_folder.h"
#include "yona/tasks/question_answering/question_evaluation.h"
#include "yona/tasks/question_answering/question_objective.h"
#include "yona/tasks/seq2seq/run_files.h"
#include "yona/tasks/task_record.h"

namespace yona {

namespace {

constexpr std::int64_t kHeldOutShare = 5;  // one held-out question for this many training questions

std::vector<StoryFile> read_story_files(const std::vector<std::filesystem::path>& paths) {
  std::vector<StoryFile> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    files.push_back(read_stories(path));
  }
  return files;
}

// The file's own name without folders and endings.
std::string set_name(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.'));
}

}  // namespace

QuestionAnsweringTask::QuestionAnsweringTask(RunConfig config, const RunPlace& place)
    : config_(std::move(config)),
      place_(place),
      files_(training_files()),
      vocabulary_(StoryVocabulary::of(files_)) {
  config_.memory_network.vocabulary = vocabulary_.size();
  check_config(config_.memory_network);
  if (!place_.checkpoint) {
    remove_old_model(place_);
  }
}

std::vector<StoryFile> QuestionAnsweringTask::generated(std::int64_t questions,
                                                        std::string_view purpose) const {
  const std::vector<std::string>& tasks = config_.questions.tasks;
  std::vector<StoryFile> files;
  for (const std::string& task : tasks.empty() ? story_task_names() : tasks) {
    const std::uint64_t seed = mix(config_.train.seed, hash_name(purpose));
    files.push_back(parse_stories(make_stories(task, questions, seed), task));
  }
  return files;
}

std::vector<StoryFile> QuestionAnsweringTask::training_files() const {
  return config_.questions.train.empty() ? generated(config_.questions.questions, "train")
                                         : read_story_files(config_.questions.train);
}

std::vector<StoryFile> QuestionAnsweringTask::validation_files() const {
  return config_.questions.train.empty()
             ? generated(std::max<std::int64_t>(1, config_.questions.questions / kHeldOutShare),
                         "valid")
             : read_story_files(config_.questions.valid);
}

std::unique_ptr<Objective> QuestionAnsweringTask::make_objective() const {
  return std::make_unique<QuestionObjective>(config_.memory_network, config_.train.label_smoothing);
}

void QuestionAnsweringTask::describe(RunPlan& plan) const {
  plan.example_name = "questions";
  plan.model = "memory-network";
  plan.input_vocabulary = plan.output_vocabulary = vocabulary_.size();
}

RunConfig QuestionAnsweringTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string QuestionAnsweringTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json QuestionAnsweringTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["files"] = recorded_files(config_.questions.train);
  record["valid"] = recorded_files(config_.questions.valid);
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences QuestionAnsweringTask::differences(const RunState& then, const Json& now) const {
  try {
    const Json& before = then.record;
    Differences found =
        settings_that_differ(before.at("settings"), now.at("settings"), config_.task);
    for (std::string& change :
         changed_files(before.at("files"), now.at("files"), config_.questions.train, "train")) {
      found.changes.push_back(std::move(change));
    }
    return found;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a run of the task {}: {}", config_.task,
                      error.what());
  }
}

std::shared_ptr<const Examples> QuestionAnsweringTask::open_training() {
  auto examples =
      std::make_shared<const StoryExamples>(files_, vocabulary_, config_.memory_network.memory);
  place_.reporter.message(
      MessageLevel::info,
      fmt::format("train: {} of {}, {} words; {} longer than {} sentences",
                  counted(examples->count(), "question"), counted(files_.size(), "task"),
                  vocabulary_.size(), examples->cut_stories(), config_.memory_network.memory));
  return examples;
}

// All tasks together first, whose mean decides; then each alone.
std::vector<std::unique_ptr<Evaluation>> QuestionAnsweringTask::open_evaluations(
    Objective& objective, const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> evaluations;
  const std::vector<StoryFile> files = validation_files();
  if (files.empty()) {
    return evaluations;
  }
  const MemoryNetwork& model = dynamic_cast<QuestionObjective&>(objective).model();
  const auto add = [&](const std::string& name, const std::vector<StoryFile>& some,
                       std::vector<std::string> figures) {
    evaluations.push_back(std::make_unique<QuestionEvaluation>(
        name,
        std::make_shared<const StoryExamples>(some, vocabulary_, config_.memory_network.memory),
        model, place_.backend, std::move(figures)));
  };
  add("valid", files, train.valid_metrics);
  std::set<std::string> names{"valid"};
  for (const StoryFile& file : files) {
    const std::string name = set_name(file.name);
    if (files.size() > 1) {
      add(names.insert(name).second ? name : file.name, {file}, {"error"});
    }
  }
  return evaluations;
}

void QuestionAnsweringTask::write_model(const std::filesystem::path& folder,
                                        const Parameters& parameters) const {
  FolderUpdate update(folder);
  write_checkpoint(update.path(), parameters);
  update.commit();
}

void QuestionAnsweringTask::write_checkpoint(const std::filesystem::path& folder,
                                             const Parameters& parameters) const {
  write_json(folder / "config.json",
             memory_network_config(config_.memory_network, vocabulary_.words()));
  write_memory_weights(folder / "model.safetensors", parameters);
}

void QuestionAnsweringTask::read_weights(const std::filesystem::path& folder,
                                         const Parameters& parameters) const {
  read_memory_weights(folder, parameters);
}

}  // namespace yona
