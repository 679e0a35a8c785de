// A model trained for a study: a few hundred updates of Adam on batches that are made up.
#pragma once

#include <functional>

#include "yona/study/study.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

namespace yona {

struct StudyTraining {
  std::int64_t updates = 1000;
  double rate = 1e-3;  // after a warm-up, falling in half a cosine to a tenth
  std::int64_t warmup = 100;
  double clip_norm = 1.0;
};

class StudyRun {
 public:
  // The objective must outlive the run. Weights are drawn from the seed.
  StudyRun(Objective& objective, const StudySetting& setting, const StudyTraining& training,
           std::uint64_t seed);

  // Trains on batch(update), update counting from 1. Throws Interrupted when asked to stop.
  void train(const std::function<Batch(std::int64_t update)>& batch);

  // The gradients of the mean loss of a batch, in place of what parameters() has there.
  void accumulate(const Batch& batch);

  // Mean negative log-likelihood of a row.
  double loss(const Batch& batch);
  double seconds_per_update() const { return seconds_per_update_; }
  std::int64_t peak_bytes() const { return learner_.peak_bytes(); }
  Parameters& parameters() { return parameters_; }

 private:
  Objective& objective_;
  StudySetting setting_;
  TrainConfig config_;
  std::uint64_t seed_;
  Parameters parameters_;
  Learner learner_;
  Optimiser optimiser_;
  double seconds_per_update_ = 0;
};

}  // namespace yona
