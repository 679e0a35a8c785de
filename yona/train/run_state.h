// What a checkpoint holds besides the model: the position of the run (state.json), the optimiser's
// moments (optimizer.safetensors) and, from a GPU, the algorithms that were chosen (choices.txt).
// With the weights, all that makes a resumed run the same bits as one that was never stopped. No
// clock values: equal runs have equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/data/batch_stream.h"
#include "yona/train/optimiser.h"

namespace yona {

struct RunState {
  std::int64_t update = 0;  // updates done
  BatchPosition position;   // of the next batch
  double best_loss = std::numeric_limits<double>::infinity();
  std::int64_t best_update = 0;
  std::int64_t bad_validations = 0;       // in a row without improvement
  std::string best_by = "loss";           // the figure that validations are compared by
  bool higher_is_better = false;          // of that figure
  std::map<std::int64_t, double> scores;  // that figure by update
  bool interrupted = false;               // saved between two that were due, because of a signal
  std::string choices;                    // of algorithms, as Backend::choices() gives them
  Json record;                            // what decides the run's bits: run_record.h
  Json same;  // from yona 0.1, which had no record: a few settings, name → value
  std::vector<std::string> changes;  // what --allow-changes let pass: "update 8: train.seed: 1 → 2"

  // Lower is better, whatever the figure.
  double cost(double score) const { return higher_is_better ? -score : score; }
  // Is the score better than the best so far?
  bool is_best(double score) const {
    const auto best = scores.find(best_update);
    return cost(score) <
           (best == scores.end() ? std::numeric_limits<double>::infinity() : cost(best->second));
  }

  // Which checkpoints to keep, given the updates of all in rising order: the `best` best by their
  // validation, and the `last` newest, at least one.
  std::set<std::int64_t> to_keep(std::span<const std::int64_t> checkpoints, std::int64_t best,
                                 std::int64_t last) const;

  // What was the best so far no longer counts.
  void forget_scores();

  Json to_json() const;
  static RunState from_json(const Json& json, const std::filesystem::path& file);
};

// Writes checkpoints/step-N and switches `latest`; `write_model` writes weights and config.json.
void save_checkpoint(const std::filesystem::path& run, const RunState& state,
                     const std::vector<OptimiserState>& optimiser,
                     const std::function<void(const std::filesystem::path& folder)>& write_model);

// The state of the checkpoint in `folder`.
RunState load_state(const std::filesystem::path& folder);
// Its moments, read into the optimiser. An average that the checkpoint lacks starts at the weights,
// which are to be read before.
void load_optimiser(const std::filesystem::path& folder, Optimiser& optimiser);

}  // namespace yona
