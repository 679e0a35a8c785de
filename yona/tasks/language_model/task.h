// A language model as a task: text, a decoder alone, perplexity.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/tasks/language_model/objective.h"
#include "yona/tasks/language_model/run_model.h"
#include "yona/tasks/run_config.h"
#include "yona/train/task.h"

namespace yona {

class LanguageModelTask : public Task {
 public:
  // Makes or reads tokeniser and shape. Throws as prepare_lm() does.
  LanguageModelTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::int64_t width() const override { return model_.description.config.d_model; }
  void describe(RunPlan& plan) const override;

  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;

  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  std::unique_ptr<Sampler> open_samples(Objective& objective) override;
  bool higher_is_better(const std::string& figure) const override;
  // By the tokens. Without a validation, which would stop the run, ten at most.
  double passes(const Examples& examples) const override;

  void write_model(const std::filesystem::path& folder,
                   const Parameters& parameters) const override;
  void write_checkpoint(const std::filesystem::path& folder,
                        const Parameters& parameters) const override;
  void read_weights(const std::filesystem::path& folder,
                    const Parameters& parameters) const override;

 private:
  RunConfig with_train(const TrainConfig& train) const;
  std::int64_t context() const;
  LmTextOptions text_options() const;
  std::filesystem::path cache_folder() const;

  RunConfig config_;
  RunPlace place_;
  Json files_;  // as they are recorded
  LmRunModel model_;
};

}  // namespace yona
