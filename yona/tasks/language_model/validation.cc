#include "yona/tasks/language_model/validation.h"

#include <utility>

#include "yona/base/timing.h"
#include "yona/data/batches.h"

namespace yona {

LmValidation::LmValidation(std::string name, const LmText& text, std::int64_t batch_tokens)
    : name_(std::move(name)), bytes_(text.bytes()) {
  const BatchPlan plan = BatchPlan::in_order(text, batch_tokens);
  for (std::int64_t index = 0; index < plan.batches(); ++index) {
    text.fill(plan.batch(index), batch_tokens, {}, batches_.emplace_back());
  }
}

ValidationReport LmValidation::run(Learner& learner) {
  const Clock::time_point start = Clock::now();
  const LossSums sums = learner.evaluate(std::span<const Batch>(batches_));
  ValidationReport report;
  report.set = name_;
  report.loss = sums.nll / static_cast<double>(sums.rows);
  report.nats_per_byte = sums.nll / static_cast<double>(bytes_);
  report.predictions = sums.rows;
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
