// How a run starts or resumes: its folder is locked, its device opened, its checkpoint found, and
// its task made and compared with the record of the run. With several ranks the first does all
// this; the others wait, then start from what it wrote.
#pragma once

#include <memory>
#include <optional>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/io/checkpoints.h"
#include "yona/io/run_lock.h"
#include "yona/train/memory_plan.h"
#include "yona/train/rank_start.h"
#include "yona/train/reporters.h"
#include "yona/train/run_state.h"
#include "yona/train/task.h"
#include "yona/train/team.h"
#include "yona/train/trainer.h"

namespace yona {

class RunStart {
 public:
  // Throws InvalidArgument for what does not go together with the run to resume, naming each
  // difference, and for a step that does not fit into memory.
  RunStart(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options,
           Reporters& reporter);

  Backend& backend() { return *backend_; }
  Task& task() { return *task_; }
  const TrainConfig& train() const { return train_; }
  const std::optional<Checkpoint>& checkpoint() const { return checkpoint_; }
  // A folder with the weights that a new run begins with; empty: new ones are drawn.
  std::filesystem::path init() const;
  // As the checkpoint has it, or of a new run.
  RunState& state() { return state_; }
  // Did --allow-changes let anything pass?
  bool has_changes() const { return has_changes_; }

  PlannedRun planned() const;
  // The training data, opened once.
  const std::shared_ptr<const Examples>& examples();
  // How long the run was planned to be; seconds are 0 where that was not measured.
  const TimePlan& time() const { return time_; }
  // Training data is part of the record: the run is refused when its ids are others than before.
  void add_examples(const Examples& examples);
  // Of this run as it is now.
  const Json& record() const { return record_; }
  const Team& team() const { return team_; }

  // Rank 0 is ready to train with these weights: lets the other ranks, which wait in the
  // constructor, begin. Does nothing at other ranks.
  void let_ranks_begin(const Parameters& parameters);
  // All ranks are ready. Throws InvalidArgument when one has other data or another program.
  void join_ranks();

 private:
  // Empty at rank 0.
  std::optional<RankStart> wait_for_first(const TrainConfig& train) const;
  std::optional<RunLock> lock() const;
  std::optional<Checkpoint> find_checkpoint() const;
  void choose();
  std::int64_t memory_bytes() const;
  std::filesystem::path find_init();
  // Chooses what was left open.
  void plan();
  void report_plan();
  std::unique_ptr<Task> make(const MakeTask& make_task);
  // Differences for which a resumed run is refused unless changes are allowed.
  Differences differences();
  // Throws if there are any and changes are not allowed; reports those that are.
  void accept(const Differences& found);

  const TrainerOptions& options_;
  double began_ = options_.began.value_or(options_.clock());
  Reporters& reporter_;
  Team team_;
  std::optional<RankStart> first_;  // what rank 0 tells the others
  std::optional<RunLock> lock_;
  std::unique_ptr<Backend> backend_;
  std::optional<Checkpoint> checkpoint_;
  RunState state_;
  TrainConfig train_;
  std::filesystem::path init_;
  std::unique_ptr<Task> task_;
  std::shared_ptr<const Examples> examples_;
  TimePlan time_;
  Json record_;
  bool has_changes_ = false;
  bool is_planned_ = false;
};

}  // namespace yona
