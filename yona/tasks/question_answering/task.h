// Question answering as a task: stories with questions, a memory network, the error of each task.
#pragma once

#include <string>
#include <vector>

#include "yona/data/stories/story_examples.h"
#include "yona/tasks/run_config.h"
#include "yona/train/task.h"

namespace yona {

class QuestionAnsweringTask : public Task {
 public:
  // Reads or makes the stories. Throws as read_stories() does.
  QuestionAnsweringTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::int64_t width() const override { return config_.memory_network.d_model; }
  void describe(RunPlan& plan) const override;
  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;
  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  bool higher_is_better(const std::string& /*figure*/) const override { return false; }
  // As in §4.2 of the paper: 100 over one task, 60 over several.
  double passes(const Examples& examples) const override {
    return examples.parts().size() > 1 ? 60 : 100;
  }
  void write_model(const std::filesystem::path& folder,
                   const Parameters& parameters) const override;
  void write_checkpoint(const std::filesystem::path& folder,
                        const Parameters& parameters) const override;
  void read_weights(const std::filesystem::path& folder,
                    const Parameters& parameters) const override;

 private:
  std::vector<StoryFile> training_files() const;
  std::vector<StoryFile> validation_files() const;
  std::vector<StoryFile> generated(std::int64_t questions, std::string_view purpose) const;
  RunConfig with_train(const TrainConfig& train) const;

  RunConfig config_;
  RunPlace place_;
  std::vector<StoryFile> files_;
  StoryVocabulary vocabulary_;
};

}  // namespace yona
