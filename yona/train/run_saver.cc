#include "yona/train/run_saver.h"

#include <vector>

#include "yona/base/error.h"

namespace yona {

namespace {

bool was_interrupted(const std::filesystem::path& checkpoint) {
  try {
    return load_state(checkpoint).interrupted;
  } catch (const Error&) {  // damaged: no reason to end the run
    return false;
  }
}

}  // namespace

Checkpoint RunSaver::saved_checkpoint() const {
  return checkpoint_at(run_.options.output, saved_update_);
}

void RunSaver::resume() {
  saved_update_ = state().update;
  run_.guard.saved(saved_checkpoint());
}

void RunSaver::save() {
  // Until something is validated, the folder has the newest weights that are not lost. The model is
  // written first: a run that is killed in between writes both again.
  if (state().best_update == 0) {
    write_newest_model();
  }
  state().choices = run_.start.backend().choices();
  const std::vector<OptimiserState> optimiser = run_.optimiser.collect();
  saved_update_ = state().update;
  if (!leads()) {
    return;
  }
  save_checkpoint(run_.options.output, state(), optimiser,
                  [&](const std::filesystem::path& folder) {
                    run_.start.task().write_checkpoint(folder, run_.parameters);
                  });
  run_.reporter.saved(state().update, saved_checkpoint().path);
  run_.guard.saved(saved_checkpoint());
  prune();
}

void RunSaver::prune() {
  std::vector<std::int64_t> all;
  for (const Checkpoint& checkpoint : list_checkpoints(run_.options.output)) {
    // A checkpoint that a signal caused is useless once there is a later one, and must not displace
    // another.
    if (checkpoint.step == saved_update_ || !was_interrupted(checkpoint.path)) {
      all.push_back(checkpoint.step);
    }
  }
  const TrainConfig& train = run_.start.train();
  std::set<std::int64_t> keep = state().to_keep(all, train.keep_best, train.keep_last);
  if (run_.guard.is_lost() && run_.guard.last_good()) {  // newer ones may be useless
    keep.insert(run_.guard.last_good()->step);
  }
  prune_checkpoints(run_.options.output, keep);
  run_.guard.keeps(keep);
}

void RunSaver::write_model() {
  try {
    if (leads()) {
      run_.start.task().write_model(run_.options.output, run_.parameters);
    }
    written_update_ = state().update;
    written_at_ = run_.options.clock();
  } catch (const IoError& error) {
    fail<IoError>("saving the model of update {}: {}; {}", state().update, error.what(),
                  what_stands(run_.options.output));
  }
}

void RunSaver::write_newest_model() {
  if (run_.guard.is_lost() || written_update_ == state().update) {
    return;
  }
  const WeightsInUse averaged(run_.parameters, run_.optimiser);
  write_model();
}

bool RunSaver::wants_early_model() const {
  constexpr double kSeconds = 30;
  return leads() && state().best_update == 0 && !run_.guard.is_lost() &&
         (written_update_ < 0 || run_.options.clock() - written_at_ >= kSeconds);
}

void RunSaver::write_missing_model() {
  const bool is_missing =
      leads() && !std::filesystem::exists(run_.options.output / "model.safetensors");
  if (run_.start.team().first_with(is_missing)) {
    const WeightsInUse averaged(run_.parameters, run_.optimiser);
    write_model();
  }
}

}  // namespace yona
