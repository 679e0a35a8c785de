// Adam on the flat buffer of all parameters (paper §5.3), with clipping, weight decay, a moving
// average of the weights, and frozen parameters. Where products are in bf16 the optimiser keeps the
// weights' copy for them, and writes it with the weights (tensor/operand.h).
//
// Of several ranks each keeps moments and average of its own shard (parallel/shards.h), updates the
// weights there, and sends them to the others. What all ranks have to call together says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yona/nn/parameters.h"
#include "yona/parallel/communicator.h"
#include "yona/parallel/shards.h"
#include "yona/train/readbacks.h"
#include "yona/train/train_config.h"

namespace yona {

// A part of the state that a checkpoint keeps, for all parameters.
struct OptimiserState {
  std::string name;  // m, v or average
  std::vector<float> values;
};

class Optimiser {
 public:
  // Throws InvalidArgument when a pattern of train.freeze matches no parameter, or all match. Ranks
  // must outlive the optimiser; nullptr: this process is alone.
  Optimiser(Parameters& parameters, Backend& backend, const TrainConfig& config,
            Communicator* ranks = nullptr);
  ~Optimiser();
  Optimiser(const Optimiser&) = delete;
  Optimiser& operator=(const Optimiser&) = delete;

  // One update with the gradients as they are; update counts from 1 (bias correction). Does
  // nothing at all when a gradient is not finite. Asynchronous on devices other than the CPU.
  // `gradients` are those of this rank's shard, [1, shards().owned()]; not given: those of the
  // parameters, where there is one rank. All ranks together.
  void step(std::int64_t update, double rate, const Tensor& gradients = {});

  // √Σ g² of the last step, before clipping; not finite when the update was left out. Waits for the
  // device.
  double gradient_norm() const;
  // Σ g² of the last step, an f64 on its way to the host.
  std::shared_ptr<Readback> read_squared_norm();

  const Shards& shards() const { return shards_; }
  // The state of the shard, [1, shards().owned()] each: moments, and the average when there is one.
  std::vector<std::pair<std::string, Tensor>> states() const;
  Tensor m() const { return m_; }
  Tensor v() const { return v_; }
  Tensor average() const { return average_; }  // empty without train.ema

  // Starts the moving average at the present weights.
  void start_average();
  // Writes the average over the weights. All ranks together.
  void use_average();

  // The state of all shards at rank 0, where it is saved; nothing at the others. All ranks
  // together.
  std::vector<OptimiserState> collect() const;

  std::int64_t frozen_count() const { return frozen_count_; }

 private:
  // A range of parameters that are treated alike, and where it is in the shard.
  struct Range {
    std::int64_t begin = 0, end = 0;
    double decay = 0;
    std::int64_t packed = 0;
  };

  double decay_of(const Tensor& parameter) const;
  void find_trained_ranges();
  std::vector<Range> in_shard(const std::vector<Range>& ranges) const;
  bool keeps_copy() const;
  void compute_norm(const Tensor& gradients);
  void compute_shared_norm(const Tensor& gradients);
  void compute_norm_by_granules(const Tensor& gradients);
  // Every rank's slices of the flat buffer to all others.
  void share(const Tensor& flat);

  Parameters& parameters_;
  TrainConfig config_;
  Communicator* ranks_;
  Shards shards_;
  Region region_;
  Tensor m_, v_, average_, rounded_, squared_norm_;  // rounded_ and average_ may be empty
  Readbacks readbacks_;
  std::vector<Range> trained_, frozen_;  // of the shard
  std::int64_t frozen_count_ = 0;        // of all parameters
};

// While it lives, the model's weights are their moving average (when there is one): for validation
// and for writing the model. The gradients' buffer holds the others meanwhile. Made by all ranks
// together.
class WeightsInUse {
 public:
  WeightsInUse(Parameters& parameters, Optimiser& optimiser);
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
