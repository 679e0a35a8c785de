// Constituency parsing as a task (section 6.3 of "Attention Is All You Need"): trees of a treebank,
// an encoder-decoder that reads words and writes symbols, labelled F1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/tasks/parsing/parsing_model.h"
#include "yona/tasks/run_config.h"
#include "yona/train/task.h"

namespace yona {

class ParsingTask : public Task {
 public:
  // Reads the treebank files, and makes or reads sub-words and symbols. Throws as read_treebank()
  // and prepare_parsing_model() do.
  ParsingTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::int64_t width() const override { return config_.model.d_model; }
  void describe(RunPlan& plan) const override;

  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;

  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  std::unique_ptr<Sampler> open_samples(Objective& objective) override;
  bool higher_is_better(const std::string& /*figure*/) const override { return true; }

  void write_model(const std::filesystem::path& folder,
                   const Parameters& parameters) const override;
  void write_checkpoint(const std::filesystem::path& folder,
                        const Parameters& parameters) const override;
  void read_weights(const std::filesystem::path& folder,
                    const Parameters& parameters) const override;

 private:
  RunConfig with_train(const TrainConfig& train) const;

  RunConfig config_;
  RunPlace place_;
  std::vector<Tree> trees_, valid_;
  ParsingModel model_;
};

// Throws InvalidArgument for what cannot be trained, before any work is done.
void check_parsing_start(const RunConfig& config, const std::filesystem::path& init);

}  // namespace yona
