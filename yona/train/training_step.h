// One update after another: its micro-batches are read, the learner forms their gradients, they are
// added up over micro-batches and ranks, and the optimiser steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "yona/data/batch_stream.h"
#include "yona/train/gradient_sum.h"
#include "yona/train/learner.h"
#include "yona/train/pending_update.h"
#include "yona/train/run_parts.h"

namespace yona {

class TrainingStep {
 public:
  // Opens the training data, which becomes part of the run's record. Throws as
  // RunStart::add_examples() does.
  TrainingStep(const RunParts& run, Objective& objective);
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  // Opens the data at the position of the run's state, which moves to the next epoch if changes
  // made this one too short.
  void open_data();

  // Starts the next update on the device. All ranks together.
  PendingUpdate start();

  // After the micro-batches of the last start().
  BatchPosition position() const { return stream_->position(); }
  std::int64_t epoch_batches() const { return stream_->epoch_batches(); }
  // The update after which the run ends, judging by the data that was read up to `update`.
  std::int64_t expected_end(std::int64_t update) const;

  const Examples& examples() const { return *examples_; }
  Learner& learner() { return learner_; }

 private:
  void enter_epoch();
  // Adds up the results of all micro-batches of the update, in their order; returns the sum of
  // weights.
  double add_up(UpdateReport& report) const;

  const RunParts run_;
  const TrainConfig& train_;
  Objective& objective_;
  GradientSum sum_;
  Learner learner_;
  std::shared_ptr<const Examples> examples_;
  std::vector<Batch> batches_;
  std::optional<BatchStream> stream_;
};

}  // namespace yona
