#include "yona/tasks/seq2seq/held_out_loss.h"

#include <span>
#include <utility>

#include "yona/data/batches.h"

namespace yona {

HeldOutLoss::HeldOutLoss(std::string name, const Examples& examples, const Subword& target_subwords,
                         std::int64_t batch_tokens)
    : name_(std::move(name)) {
  const BatchPlan plan = BatchPlan::in_order(examples, batch_tokens);
  for (std::int64_t index = 0; index < plan.batches(); ++index) {
    Batch& batch = batches_.emplace_back();
    examples.fill(plan.batch(index), batch_tokens, {}, batch);
    const Side& target = batch.sides[kTarget];
    for (std::size_t s = 0; s + 1 < target.offsets.size(); ++s) {
      const std::span<const std::int32_t> ids(target.ids.data() + target.offsets[s],
                                              static_cast<std::size_t>(target.rows_of(s)));
      target_bytes_ += static_cast<std::int64_t>(target_subwords.decode(ids).size());
    }
  }
}

ValidationReport HeldOutLoss::run(Learner& learner) const {
  const LossSums sums = learner.evaluate(std::span<const Batch>(batches_));
  ValidationReport report;
  report.set = name_;
  report.loss = sums.nll / static_cast<double>(sums.rows);
  report.nats_per_byte = sums.nll / static_cast<double>(target_bytes_);
  report.predictions = sums.rows;
  return report;
}

}  // namespace yona
