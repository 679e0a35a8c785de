#include "yona/train/memory_plan.h"

#include <algorithm>

#include "yona/backend/backend.h"

namespace yona {

namespace {

constexpr std::int64_t kProgramBytes = std::int64_t{64} << 20U;

std::int64_t step_bytes(const PlannedRun& run, std::int64_t batch_tokens) {
  const std::unique_ptr<Backend> meta = make_backend("meta", {.planned = run.device});
  const std::unique_ptr<Objective> objective = run.make_objective();
  objective->model().set_recompute(run.recompute);
  const Parameters parameters(objective->model(), *meta, Gradients::yes);
  Learner learner(*objective, parameters, *meta, run.precision);
  learner.accumulate(objective->largest_batch(batch_tokens, *meta), {}, 1.0);
  return learner.peak_bytes();
}

std::int64_t weight_bytes(const PlannedRun& run) {
  const std::unique_ptr<Backend> meta = make_backend("meta");
  const std::unique_ptr<Objective> objective = run.make_objective();
  const Parameters parameters(objective->model(), *meta, Gradients::no);
  return parameters.count() * 4 * (4 + (run.average ? 1 : 0) + (run.accumulates ? 1 : 0));
}

}  // namespace

MemoryPlan plan_memory(const PlannedRun& run, std::int64_t batch_tokens) {
  return {.weights = weight_bytes(run),
          .step = step_bytes(run, batch_tokens),
          .program = kProgramBytes};
}

std::int64_t largest_batch(const PlannedRun& run, std::int64_t memory_bytes) {
  constexpr std::int64_t kLargest = 25000;  // §5.1: 25,000 tokens of each side
  constexpr std::int64_t kSmallest = 256;
  const std::int64_t usable = memory_bytes / 4 * 3;
  const auto fits = [&](std::int64_t tokens) { return plan_memory(run, tokens).total() <= usable; };
  check<DeviceError>(fits(kSmallest),
                     "memory: a step of {} tokens needs {:.1f} GB and there are {:.1f}: use a "
                     "smaller model",
                     kSmallest, static_cast<double>(plan_memory(run, kSmallest).total()) / 1e9,
                     static_cast<double>(memory_bytes) / 1e9);
  std::int64_t low = kSmallest;
  std::int64_t high = kLargest + 1;
  while (high - low > kSmallest) {
    const std::int64_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return fits(kLargest) ? kLargest : low;
}

void check_memory(const PlannedRun& run, std::int64_t batch_tokens, std::int64_t memory_bytes) {
  // What is planned has as many ids as the batch; memory is in proportion to them beyond this.
  constexpr std::int64_t kMostPlanned = std::int64_t{1} << 20U;
  const MemoryPlan plan = plan_memory(run, std::min(batch_tokens, kMostPlanned));
  const double times = std::max(1.0, static_cast<double>(batch_tokens) / kMostPlanned);
  const double needed =
      static_cast<double>(plan.weights + plan.program) + times * static_cast<double>(plan.step);
  if (needed > static_cast<double>(memory_bytes)) {
    fail(
        "train.batch_tokens: a step of {} tokens needs about {:.1f} GB of memory, and there are "
        "{:.1f}; the largest that fits is {} (--batch-tokens auto)",
        batch_tokens, needed / 1e9, static_cast<double>(memory_bytes) / 1e9,
        largest_batch(run, memory_bytes));
  }
}

}  // namespace yona
