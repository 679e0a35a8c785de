// The learner: memory and passes of a training step. It turns a batch into gradients of an
// objective; the trainer decides what happens around it, the optimiser what is done with them.
//
// From the second step of a shape on, a step allocates nothing on the host or the device (what
// oneDNN does inside its calls aside).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "yona/nn/parameters.h"
#include "yona/tensor/context.h"
#include "yona/train/objective.h"
#include "yona/train/readbacks.h"
#include "yona/train/team.h"

namespace yona {

// Sums over rows (the tokens that are predicted); divide by `rows` for the mean.
struct LossSums {
  double loss = 0;  // what is minimised: label smoothing and R-Drop counted
  double nll = 0;   // -log p of what was expected, in nats
  std::int64_t rows = 0;

  LossSums& operator+=(const LossSums& other);
};

// The loss of a micro-batch that the device may still be computing. Reading it waits for that, so
// read it when the device has been asked for more; the learner must live until then.
class PendingLoss {
 public:
  PendingLoss(std::shared_ptr<Readback> losses, std::int64_t rows, std::int64_t passes)
      : losses_(std::move(losses)), rows_(rows), passes_(passes) {}
  LossSums read() const;

 private:
  std::shared_ptr<Readback> losses_;  // [passes · rows, 2]
  std::int64_t rows_, passes_;
};

class Learner {
 public:
  // `parameters` are those of the objective's model. Both must outlive the learner.
  Learner(Objective& objective, const Parameters& parameters, Backend& backend,
          Precision precision = Precision::f32);

  // Adds the gradients of one micro-batch to the parameters'. `update_weight` is the total weight
  // of the whole update.
  PendingLoss accumulate(const Batch& batch, const RandomCounters& random, double update_weight);
  // The loss without dropout or gradients.
  LossSums evaluate(const Batch& batch);
  // Of several batches, added in their order. The ranks of a team share them, and all have the
  // result: the bits of one rank. All ranks together.
  LossSums evaluate(std::span<const Batch> batches);

  // From now on backward passes tell how far they are: gradients of the elements of
  // Parameters::gradients() from `final_from` on will not change.
  void when_final(std::function<void(std::int64_t final_from)> function);

  // From now on validation is shared; the team must outlive the learner.
  void share(const Team& team) { team_ = &team; }
  // Does this rank compute what is not shared?
  bool leads() const { return team_ == nullptr || team_->leads(); }

  // Highest number of bytes that a step has taken.
  std::int64_t peak_bytes() const { return region_.peak(); }

 private:
  void backward();
  PendingLoss pending(const Tensor& losses, std::int64_t passes);

  Objective& objective_;
  const Parameters& parameters_;
  Precision precision_;
  Region region_;
  Tape tape_;
  WeightGradients weight_gradients_;
  Readbacks readbacks_;
  std::function<void(std::int64_t)> when_final_;  // none where first_uses_ is none
  std::optional<FirstUses> first_uses_;
  const Team* team_ = nullptr;  // nullptr: a process alone
};

}  // namespace yona
