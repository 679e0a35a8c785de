// Averaging checkpoints of a run into one model (the paper averages its last 5 or 20, §6.1).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace yona {

struct AverageOptions {
  std::filesystem::path run;     // a training run's folder
  std::filesystem::path output;  // the new model folder; must not hold a model yet
  std::int64_t last = 5;         // this many newest checkpoints …
  std::int64_t best = 0;         // … or this many best ones by train.best_by, when above 0
  std::vector<std::filesystem::path> checkpoints;  // … or exactly these, when not empty
};

// Returns the checkpoints that went in. Throws InvalidArgument when there are fewer than asked for
// or they belong to models of different shapes. Sums are in double, in the order of the steps.
std::vector<std::filesystem::path> average_checkpoints(const AverageOptions& options);

}  // namespace yona
