// The validations of a run: the task's held-out sets are computed, reported, and the first of them
// decides which weights are the best so far, and whether patience has run out.
#pragma once

#include <memory>
#include <vector>

#include "yona/train/run_parts.h"
#include "yona/train/run_saver.h"
#include "yona/train/task.h"

namespace yona {

class Validations {
 public:
  // Opens the task's sets, and at rank 0 its samples if options ask for them.
  Validations(const RunParts& run, Objective& objective);

  bool any() const { return !evaluations_.empty(); }
  // Uses the weights of the end of training (the average, if there is one), and writes them if they
  // are the best so far. All ranks together.
  void run(Learner& learner, RunSaver& saver);
  bool is_patience_over() const;

 private:
  // Is it the best so far? By the validation set that decides.
  void judge(ValidationReport& report, RunSaver& saver);

  const RunParts run_;
  std::vector<std::unique_ptr<Evaluation>> evaluations_;
  std::unique_ptr<Sampler> samples_;
};

}  // namespace yona
