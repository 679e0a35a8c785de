// Translation as a task: pairs of sentences, an encoder-decoder, BLEU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/tasks/run_config.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/tasks/translation/run_model.h"
#include "yona/train/task.h"

namespace yona {

class TranslationTask : public Task {
 public:
  // Reads the files that are trained on, and makes or reads sub-words and the model's shape. Throws
  // as prepare_model() does.
  TranslationTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::int64_t width() const override { return config_.model.d_model; }
  std::vector<std::string> constants() const override;
  void describe(RunPlan& plan) const override;

  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;
  void begin() override;

  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  std::unique_ptr<Sampler> open_samples(Objective& objective) override;
  bool higher_is_better(const std::string& figure) const override;
  void regularise(double passes) override;

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
  Json corpora_;  // as they are recorded
  RunModel model_;
};

// Throws InvalidArgument for what cannot be trained, before any work is done.
void check_translation(const RunConfig& config, const std::filesystem::path& init);

}  // namespace yona
