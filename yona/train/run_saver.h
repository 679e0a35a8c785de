// What a run keeps on disk: its checkpoints, and the model folder with the best weights so far, or
// with the newest ones until something is validated. Rank 0 writes; the others follow. The trainer
// concludes the last update before anything is written, so that it is known whether it was lost.
#pragma once

#include <cstdint>
#include <set>

#include "yona/io/checkpoints.h"
#include "yona/train/run_parts.h"

namespace yona {

class RunSaver {
 public:
  explicit RunSaver(const RunParts& run) : run_(run) {}

  // The run resumes from the checkpoint that its state was read from.
  void resume();

  // A checkpoint of the run as it stands, and before anything is validated the model too. Older
  // checkpoints that are not to be kept are removed. All ranks together. Throws IoError.
  void save();
  bool is_saved() const { return saved_update_ == state().update; }

  // The model folder, from the weights that are in use now. Throws IoError naming what is there.
  void write_model();
  // The same from the weights that are used when training is over (the average, if there is one).
  // Does nothing if the folder has them already, or if they are lost (finite_guard.h).
  void write_newest_model();
  // Is a model due that can be tried out within the first minute? One is due after the first
  // update, and then every half minute until something is validated. False at other ranks than 0.
  bool wants_early_model() const;
  // Writes the newest weights, even lost ones, if there is no model at all. All ranks together.
  void write_missing_model();

 private:
  RunState& state() const { return run_.start.state(); }
  bool leads() const { return run_.start.team().leads(); }
  Checkpoint saved_checkpoint() const;
  void prune();

  const RunParts run_;
  std::int64_t saved_update_ = -1;
  std::int64_t written_update_ = -1;  // of the model folder
  double written_at_ = 0;             // time of the clock
};

}  // namespace yona
