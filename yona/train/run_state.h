// What a checkpoint holds besides the model: where the run stands (state.json) and the optimiser's
// moments (optimizer.safetensors). With the weights, all that makes a resumed run the same bits as
// one that was never stopped. No clock values: equal runs have equal bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

#include "yona/base/json.h"
#include "yona/data/batch_stream.h"
#include "yona/io/translation_model.h"
#include "yona/train/optimiser.h"

namespace yona {

struct RunState {
  std::int64_t update = 0;  // updates done
  BatchPosition position;   // of the next batch
  double best_loss = std::numeric_limits<double>::infinity();
  std::int64_t best_update = 0;
  std::int64_t bad_validations = 0;       // in a row without improvement
  std::string best_by = "loss";           // the figure that validations are compared by
  std::map<std::int64_t, double> scores;  // that figure by update
  Json same;  // settings that must be the same when the run goes on: name → value

  // Lower is better, whatever the figure.
  double cost(double score) const {
    return best_by == "bleu" || best_by == "chrf" ? -score : score;
  }
  // Is the score better than the best so far?
  bool is_best(double score) const {
    const auto best = scores.find(best_update);
    return cost(score) <
           (best == scores.end() ? std::numeric_limits<double>::infinity() : cost(best->second));
  }

  Json to_json() const;
  static RunState from_json(const Json& json, const std::filesystem::path& file);
};

// Writes checkpoints/step-N and switches `latest`.
void save_checkpoint(const std::filesystem::path& run, const RunState& state, const ModelInfo& info,
                     const Parameters& parameters, const Optimiser& optimiser);

// Reads the checkpoint in `folder` into parameters and optimiser.
RunState load_checkpoint(const std::filesystem::path& folder, const Parameters& parameters,
                         const Optimiser& optimiser);

}  // namespace yona
