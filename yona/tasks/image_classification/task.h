// Image classification as a task: pictures with labels, a Vision Transformer, accuracy.
#pragma once

#include <string>
#include <vector>

#include "yona/data/images/labelled_images.h"
#include "yona/io/image_folder.h"
#include "yona/tasks/image_classification/picture_files.h"
#include "yona/tasks/run_config.h"
#include "yona/train/task.h"

namespace yona {

class ImageClassificationTask : public Task {
 public:
  // Reads the pictures. Throws as read_training_pictures() does, and FormatError for files that do
  // not go together or do not fit the model of --init.
  ImageClassificationTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::int64_t width() const override { return info_.config.d_model; }
  void describe(RunPlan& plan) const override;
  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;
  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  bool higher_is_better(const std::string& figure) const override { return figure != "loss"; }
  void write_model(const std::filesystem::path& folder,
                   const Parameters& parameters) const override;
  void write_checkpoint(const std::filesystem::path& folder,
                        const Parameters& parameters) const override;
  void read_weights(const std::filesystem::path& folder,
                    const Parameters& parameters) const override;

 private:
  void read_training();
  ImageModelInfo new_info() const;
  ImageModelInfo started_info() const;
  RunConfig with_train(const TrainConfig& train) const;

  RunConfig config_;
  RunPlace place_;
  std::vector<LabelledImages> files_;  // until training_ takes them
  PictureMemory memory_;
  Json recorded_files_;
  std::shared_ptr<const Examples> training_;
  std::vector<std::string> labels_;
  ImageModelInfo info_;
};

}  // namespace yona
