// What a run learns. The trainer owns time: updates, optimiser, checkpoints, reports. A task owns
// meaning: which files, which model, which loss, which figures say how good it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/data/batches.h"
#include "yona/data/examples.h"
#include "yona/io/checkpoints.h"
#include "yona/nn/parameters.h"
#include "yona/train/learner.h"
#include "yona/train/objective.h"
#include "yona/train/progress.h"
#include "yona/train/run_record.h"
#include "yona/train/run_state.h"
#include "yona/train/time_plan.h"
#include "yona/train/train_config.h"

namespace yona {

// A set of held-out examples, and what is computed of them.
class Evaluation {
 public:
  Evaluation() = default;
  virtual ~Evaluation() = default;
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  // Everything but update and is_best is filled in, at rank 0: the others help with what they share
  // (Learner::evaluate). Weights are only read. All ranks together.
  virtual ValidationReport run(Learner& learner) = 0;
};

// A few outputs of the model, made again and again while it trains: people see more in them than in
// a loss. What the dashboard shows.
class Sampler {
 public:
  Sampler() = default;
  virtual ~Sampler() = default;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Everything but update is filled in. Weights are only read.
  virtual SamplesReport run() = 0;
};

class Task {
 public:
  Task() = default;
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // --- what is trained
  // A new model with its loss: one is trained, others only planned with.
  virtual std::unique_ptr<Objective> make_objective() const = 0;
  virtual std::int64_t width() const = 0;  // d_model of the paper's learning rate
  // Parameters that no run of this model changes.
  virtual std::vector<std::string> constants() const { return {}; }
  // Fills in what the task knows: the model's name, vocabularies, what examples are called.
  virtual void describe(RunPlan& plan) const = 0;

  // --- what decides the run's bits (run_record.h)
  // The whole configuration, as config.yaml keeps it.
  virtual std::string settings(const TrainConfig& train) const = 0;
  // Settings, corpora, model, sub-words.
  virtual Json record(const TrainConfig& train) const = 0;
  // What is not as the run to resume had it.
  virtual Differences differences(const RunState& then, const Json& now) const = 0;
  // The run starts, or resumes with changes: writes what its folder has to keep.
  virtual void begin() {}

  // --- data
  virtual std::shared_ptr<const Examples> open_training() = 0;
  // The first one decides which model is the best.
  virtual std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                                    const TrainConfig& train) = 0;
  // Null where there is nothing to show.
  virtual std::unique_ptr<Sampler> open_samples(Objective& /*objective*/) { return nullptr; }
  // Is a larger figure of this name a better one?
  virtual bool higher_is_better(const std::string& figure) const = 0;

  // --- how long a run is, where that was left open (time_plan.h)
  // Over the data, when time sets no limit.
  virtual double passes(const Examples& examples) const {
    return worthwhile_passes(epoch_examples(examples));
  }
  // The number of passes over the data: dropout can follow from it, if it was not given.
  // Before any objective is made for training.
  virtual void regularise(double /*passes*/) {}

  // --- folders
  virtual void write_model(const std::filesystem::path& folder,
                           const Parameters& parameters) const = 0;
  // config.json and weights of a checkpoint.
  virtual void write_checkpoint(const std::filesystem::path& folder,
                                const Parameters& parameters) const = 0;
  virtual void read_weights(const std::filesystem::path& folder,
                            const Parameters& parameters) const = 0;
};

// Where a task's run takes place.
struct RunPlace {
  std::filesystem::path output;
  std::filesystem::path init;            // begin with this folder's model; empty: a new one
  std::optional<Checkpoint> checkpoint;  // that the run resumes from
  std::int64_t samples = 0;              // how many are asked for
  Backend& backend;
  Reporter& reporter;
};

using MakeTask =
    std::function<std::unique_ptr<Task>(const TrainConfig& train, const RunPlace& place)>;

}  // namespace yona
