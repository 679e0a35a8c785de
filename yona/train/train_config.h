// How a run trains, whatever its task: the keys train.* of a configuration.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/kernel_args.h"

namespace yona {

enum class ScheduleKind : std::uint8_t { paper, inverse_sqrt, cosine, linear, constant };
constexpr std::array<std::string_view, 5> enum_names(ScheduleKind) {
  return {"paper", "inverse_sqrt", "cosine", "linear", "constant"};
}
enum class DecayOn : std::uint8_t { matrices, all };
constexpr std::array<std::string_view, 2> enum_names(DecayOn) { return {"matrices", "all"}; }
enum class OnNan : std::uint8_t { stop, skip };
constexpr std::array<std::string_view, 2> enum_names(OnNan) { return {"stop", "skip"}; }

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::paper;
  double rate = 1.0;           // paper: factor on eq. 3; others: the highest learning rate
  std::int64_t warmup = 4000;  // updates
  double final_rate = 0.0;     // cosine and linear: at the last update
};

struct TrainConfig {
  std::int64_t seconds = 0;  // that the run should take in all; 0: no limit
  std::int64_t updates = 100000;
  std::int64_t epochs = 0;           // 0: no limit
  std::int64_t batch_tokens = 4096;  // per micro-batch; 0: auto, the largest that fits
  std::int64_t accumulate = 1;       // micro-batches per update
  ScheduleConfig schedule;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0.0;
  DecayOn weight_decay_on = DecayOn::matrices;
  double clip_norm = 0.0;  // 0: no clipping
  double label_smoothing = 0.1;
  double rdrop = 0.0;              // alpha of R-Drop; 0: off
  double ema = 0.0;                // decay of the moving average of weights; 0: off
  std::int64_t save_every = 1000;  // updates
  std::int64_t valid_every = 1000;
  std::int64_t log_every = 50;
  std::int64_t keep_last = 3;
  std::int64_t keep_best = 1;
  std::int64_t patience = 0;  // validations without improvement before stopping; 0: never
  std::vector<std::string> valid_metrics;  // besides the loss: names that the task knows
  std::string best_by = "loss";            // or one of these: which model is the best
  OnNan on_nan = OnNan::stop;
  std::vector<std::string> freeze;  // parameters whose names match stay as they are: "encoder.*"
  std::uint64_t seed = 1;
  Precision precision = Precision::f32;
  Precision exchange = Precision::f32;  // of gradients, between ranks
  bool recompute = false;  // activations, in the backward pass, instead of keeping them
  bool tensorboard = true;
  bool measure = true;  // algorithms of products, on a GPU
};

}  // namespace yona
