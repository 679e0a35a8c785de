#include "yona/train/validation.h"

#include <numeric>
#include <span>
#include <vector>

#include "yona/base/timing.h"
#include "yona/data/batches.h"

namespace yona {

Validation::Validation(std::string name, const Dataset& dataset, const Subword& target_subwords,
                       std::int64_t batch_tokens)
    : name_(std::move(name)) {
  const BatchPlan plan = BatchPlan::in_order(dataset, batch_tokens);
  for (std::int64_t index = 0; index < plan.batches(); ++index) {
    PairBatch& batch = batches_.emplace_back();
    dataset.fill(plan.batch(index), batch_tokens, {}, batch);
    for (std::size_t s = 0; s + 1 < batch.target.offsets.size(); ++s) {
      const std::span<const std::int32_t> ids(
          batch.target.ids.data() + batch.target.offsets[s],
          static_cast<std::size_t>(batch.target.offsets[s + 1] - batch.target.offsets[s]));
      target_bytes_ += static_cast<std::int64_t>(target_subwords.decode(ids).size());
    }
  }
}

ValidationReport Validation::run(Learner& learner, const Transformer& model,
                                 Backend& backend) const {
  const Clock::time_point start = Clock::now();
  LossSums sums;
  for (const PairBatch& batch : batches_) {
    sums += learner.evaluate(batch);
  }
  ValidationReport report;
  report.set = name_;
  report.loss = sums.nll / static_cast<double>(sums.tokens);
  report.nats_per_byte = sums.nll / static_cast<double>(target_bytes_);
  report.target_tokens = sums.tokens;
  if (scorer_) {
    report.figures = scorer_->run(model, backend);
  }
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
