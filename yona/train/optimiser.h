// Adam on the flat buffer of all parameters (paper §5.3), with clipping, weight decay, a moving
// average of the weights, and frozen parameters. Where products are in bf16 the optimiser keeps the
// weights' copy for them, and writes it with the weights (tensor/operand.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yona/nn/parameters.h"
#include "yona/train/readbacks.h"
#include "yona/train/train_config.h"

namespace yona {

class Optimiser {
 public:
  // Throws InvalidArgument when a pattern of train.freeze matches no parameter, or all match.
  Optimiser(Parameters& parameters, Backend& backend, const TrainConfig& config);
  ~Optimiser();
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  // One update with the gradients as they are; update counts from 1 (bias correction). Does
  // nothing at all when a gradient is not finite. Asynchronous on devices other than the CPU.
  void step(std::int64_t update, double rate);

  // √Σ g² of the last step, before clipping; not finite when the update was left out. Waits for the
  // device.
  double gradient_norm() const;
  // Σ g² of the last step, an f64 on its way to the host.
  std::shared_ptr<Readback> read_squared_norm();

  // The state to save and restore: moments, and the average when there is one.
  Tensor m() const { return m_; }
  Tensor v() const { return v_; }
  Tensor average() const { return average_; }  // empty without train.ema

  // Starts the moving average at the present weights.
  void start_average();

  std::int64_t frozen_count() const;

 private:
  double decay_of(const Tensor& parameter) const;
  void find_trained_ranges();
  bool keeps_copy() const;

  Parameters& parameters_;
  TrainConfig config_;
  Region region_;
  Tensor m_, v_, average_, rounded_, squared_norm_;  // rounded_ and average_ may be empty
  Readbacks readbacks_;
  struct Range {
    std::int64_t begin = 0, end = 0;
    double decay = 0;
  };
  std::vector<Range> trained_, frozen_;
};

// While it lives, the model's weights are their moving average (when there is one): for validation
// and for writing the model. The gradients' buffer holds the others meanwhile.
class WeightsInUse {
 public:
  WeightsInUse(Parameters& parameters, const Optimiser& optimiser);
  ~WeightsInUse();
  WeightsInUse(const WeightsInUse&) = delete;
  WeightsInUse& operator=(const WeightsInUse&) = delete;

 private:
  Parameters& parameters_;
  bool swapped_;
};

// Does a parameter's name match a pattern? '*' stands for any text.
bool matches(const std::string& pattern, const std::string& name);

}  // namespace yona
