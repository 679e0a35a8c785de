#include "yona/study/training.h"

#include "yona/base/stop.h"
#include "yona/base/timing.h"
#include "yona/train/schedule.h"

namespace yona {

namespace {

TrainConfig config_of(const StudyTraining& training, std::uint64_t seed) {
  TrainConfig config;
  config.updates = training.updates;
  config.schedule = {.kind = ScheduleKind::cosine,
                     .rate = training.rate,
                     .warmup = std::min(training.warmup, training.updates / 2),
                     .final_rate = training.rate / 10};
  config.clip_norm = training.clip_norm;
  config.label_smoothing = 0.0;
  config.seed = seed;
  return config;
}

}  // namespace

StudyRun::StudyRun(Objective& objective, const StudySetting& setting, const StudyTraining& training,
                   std::uint64_t seed)
    : objective_(objective),
      setting_(setting),
      config_(config_of(training, seed)),
      seed_(seed),
      parameters_(objective.model(), setting.backend, Gradients::yes),
      learner_(objective, parameters_, setting.backend),
      optimiser_(parameters_, setting.backend, config_) {
  parameters_.initialise(seed);
}

void StudyRun::train(const std::function<Batch(std::int64_t update)>& batch) {
  constexpr std::int64_t kAnyWidth = 1;  // the cosine does not depend on d_model
  const double begin = steady_seconds();
  for (std::int64_t update = 1; update <= config_.updates; ++update) {
    check_stop(setting_.stop, "study");
    const Batch now = batch(update);
    parameters_.zero_gradients();
    const RandomCounters random{.seed = seed_, .update = static_cast<std::uint64_t>(update)};
    learner_.accumulate(now, random, objective_.weight(now));
    optimiser_.step(update, learning_rate(config_.schedule, kAnyWidth, config_.updates, update));
  }
  setting_.backend.synchronize();
  seconds_per_update_ = (steady_seconds() - begin) / static_cast<double>(config_.updates);
}

void StudyRun::accumulate(const Batch& batch) {
  parameters_.zero_gradients();
  learner_.accumulate(batch, {.seed = seed_}, objective_.weight(batch)).read();
}

double StudyRun::loss(const Batch& batch) {
  const LossSums sums = learner_.evaluate(batch);
  return sums.nll / static_cast<double>(sums.rows);
}

}  // namespace yona
