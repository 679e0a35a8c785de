#include "yona/train/learner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "yona/parallel/shards.h"
#include "yona/tensor/operand.h"

namespace yona {

LossSums& LossSums::operator+=(const LossSums& other) {
  loss += other.loss;
  nll += other.nll;
  rows += other.rows;
  return *this;
}

LossSums PendingLoss::read() const {
  const auto* row = static_cast<const float*>(losses_->wait());
  const float* end = row + 2 * passes_ * rows_;
  LossSums sums;
  for (; row != end; row += 2) {
    sums.loss += static_cast<double>(row[0]) / static_cast<double>(passes_);
    sums.nll += static_cast<double>(row[1]) / static_cast<double>(passes_);
  }
  sums.rows = rows_;
  return sums;
}

Learner::Learner(Objective& objective, const Parameters& parameters, Backend& backend,
                 Precision precision)
    : objective_(objective),
      parameters_(parameters),
      precision_(precision),
      region_(backend),
      weight_gradients_(backend),
      readbacks_(backend) {}

PendingLoss Learner::pending(const Tensor& losses, std::int64_t passes) {
  return {readbacks_.start(losses.view().data,
                           losses.elements() * static_cast<std::int64_t>(size_of(losses.dtype()))),
          losses.rows() / passes, passes};
}

void Learner::backward() {
  Backend& backend = region_.backend();
  backend.begin_backward();
  while (tape_.step()) {
    if (first_uses_) {
      when_final_(std::max(first_uses_->final_from(),
                           weight_gradients_.wait_up_to(parameters_.gradients())));
    }
  }
  weight_gradients_.finish();
  backend.end_backward();
}

void Learner::when_final(std::function<void(std::int64_t final_from)> function) {
  when_final_ = std::move(function);
  if (when_final_) {
    first_uses_.emplace(parameters_.weights(), tape_, Shards::kGranule);
  } else {
    first_uses_.reset();
  }
}

PendingLoss Learner::accumulate(const Batch& batch, const RandomCounters& random,
                                double update_weight) {
  const Context first{.region = region_,
                      .tape = &tape_,
                      .training = true,
                      .random = random,
                      .precision = precision_,
                      .weight_gradients = &weight_gradients_,
                      .first_uses = first_uses_ ? &*first_uses_ : nullptr};
  if (first_uses_) {
    first_uses_->begin();
  }
  std::array contexts{first, first};
  contexts[1].random.pass = 1;
  const int passes = objective_.passes();
  const RoundedWeights rounded(parameters_.weights(), contexts[0]);
  Tensor losses;
  try {
    losses = objective_.losses(batch, update_weight,
                               std::span(contexts).first(static_cast<std::size_t>(passes)));
    backward();
  } catch (...) {
    tape_.clear();
    weight_gradients_.clear();
    region_.backend().abandon_backward();
    throw;
  }
  return pending(losses, passes);
}

LossSums Learner::evaluate(const Batch& batch) {
  Context c{.region = region_, .precision = precision_};
  const RoundedWeights rounded(parameters_.weights(), c);
  return pending(objective_.losses(batch, 1.0, std::span(&c, 1)), 1).read();
}

LossSums Learner::evaluate(std::span<const Batch> batches) {
  const Team alone(nullptr);
  const Team& team = team_ != nullptr ? *team_ : alone;
  std::vector<double> own;
  for (auto i = static_cast<std::size_t>(team.rank()); i < batches.size();
       i += static_cast<std::size_t>(team.size())) {
    const LossSums sums = evaluate(batches[i]);
    own.insert(own.end(), {sums.loss, sums.nll, static_cast<double>(sums.rows)});
  }
  const std::vector<double> all = team.in_order(own, 3, static_cast<std::int64_t>(batches.size()));
  LossSums sums;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    sums += {all[i], all[i + 1], static_cast<std::int64_t>(all[i + 2])};
  }
  return sums;
}

}  // namespace yona
