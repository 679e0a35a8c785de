#include "yona/train/training_step.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/data/batches.h"
#include "yona/train/schedule.h"

namespace yona {

TrainingStep::TrainingStep(const RunParts& run, Objective& objective)
    : run_(run),
      train_(run.start.train()),
      objective_(objective),
      sum_(run.parameters, run.start.backend(), train_.accumulate, run.start.team().ranks(),
           train_.exchange),
      learner_(objective, run.parameters, run.start.backend(), train_.precision),
      examples_(run.start.examples()) {
  run.start.add_examples(*examples_);
  learner_.share(run.start.team());
  if (sum_.overlaps()) {
    learner_.when_final([this](std::int64_t final_from) { sum_.advance(final_from); });
  }
  batches_.resize(static_cast<std::size_t>(
      sum_.has_micro_batch(sum_.rounds() - 1) ? sum_.rounds() : sum_.rounds() - 1));
}

void TrainingStep::open_data() {
  if (run_.start.has_changes()) {
    enter_epoch();
  }
  stream_.emplace(BatchStream::training(examples_,
                                        {.batch_tokens = train_.batch_tokens,
                                         .seed = train_.seed,
                                         .rank = run_.start.team().rank(),
                                         .world_size = run_.start.team().size(),
                                         .group = train_.accumulate},
                                        run_.start.state().position));
}

void TrainingStep::enter_epoch() {
  BatchPosition& position = run_.start.state().position;
  const std::int64_t batches =
      BatchPlan::shuffled(*examples_, train_.batch_tokens, train_.seed, position.epoch).batches();
  if (position.index > batches) {
    run_.reporter.message(MessageLevel::warning,
                          fmt::format("epoch {} now has {} batches, and the run was at batch {}: "
                                      "it goes on with epoch {}",
                                      position.epoch, batches, position.index, position.epoch + 1));
    position = {position.epoch + 1, 0};
  }
}

std::int64_t TrainingStep::expected_end(std::int64_t update) const {
  if (train_.epochs == 0) {
    return train_.updates;
  }
  const BatchPosition at = stream_->position();
  const std::int64_t whole = stream_->epoch_batches();  // epochs differ by a batch or two
  const std::int64_t left =
      at.epoch < train_.epochs ? (train_.epochs - at.epoch) * whole - at.index : 0;
  return std::min(train_.updates, update + (left + train_.accumulate - 1) / train_.accumulate);
}

double TrainingStep::add_up(UpdateReport& report) const {
  std::vector<double> own;
  for (const Batch& batch : batches_) {
    own.insert(own.end(),
               {objective_.weight(batch), static_cast<double>(batch.sides.front().rows())});
  }
  const std::vector<double> all = run_.start.team().in_order(own, 2, train_.accumulate);
  double weight = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    weight += all[i];
    report.input_tokens += static_cast<std::int64_t>(all[i + 1]);
  }
  return weight;
}

PendingUpdate TrainingStep::start() {
  PendingUpdate pending;
  pending.start = Clock::now();
  for (Batch& batch : batches_) {
    stream_->next(batch);
  }
  pending.first_batch = batches_.front().index;
  pending.first_example = batches_.front().example_ids.front();
  UpdateReport& report = pending.report;
  report.update = run_.start.state().update + 1;
  report.updates = expected_end(report.update);
  report.epoch = batches_.front().epoch;
  const double weight = add_up(report);
  for (std::int64_t round = 0; round < sum_.rounds(); ++round) {
    run_.parameters.zero_gradients();
    if (sum_.has_micro_batch(round)) {
      pending.losses.push_back(
          learner_.accumulate(batches_[static_cast<std::size_t>(round)],
                              {.seed = train_.seed,
                               .update = static_cast<std::uint64_t>(report.update),
                               .micro_batch = static_cast<std::uint32_t>(sum_.micro_batch(round))},
                              weight));
    }
    sum_.add(round);
  }
  report.learning_rate =
      learning_rate(train_.schedule, run_.start.task().width(), train_.updates, report.update);
  run_.optimiser.step(report.update, report.learning_rate, sum_.total());
  pending.squared_norm = run_.optimiser.read_squared_norm();
  return pending;
}

}  // namespace yona
