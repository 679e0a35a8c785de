#include "yona/train/speed.h"

#include <algorithm>
#include <vector>

#include "yona/data/batch_stream.h"
#include "yona/train/gradient_sum.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

namespace yona {

namespace {

constexpr std::int64_t kMostTimed = 200;

class SpeedRun {
 public:
  SpeedRun(const Task& task, const std::shared_ptr<const Examples>& examples,
           const TrainConfig& train, Backend& backend)
      : train_(train),
        objective_(task.make_objective()),
        parameters_(objective_->model(), backend, Gradients::yes),
        optimiser_(parameters_, backend, train),
        sum_(parameters_, backend, train.accumulate, nullptr, train.exchange),
        learner_(*objective_, parameters_, backend, train.precision),
        stream_(BatchStream::training(examples,
                                      {.batch_tokens = train.batch_tokens, .seed = train.seed})) {
    objective_->model().set_recompute(train.recompute);
    parameters_.initialise(train.seed);
    optimiser_.start_average();
    batches_.resize(static_cast<std::size_t>(train.accumulate));
  }

  // Waits until it is done.
  void update(std::int64_t number) {
    double weight = 0;
    for (Batch& batch : batches_) {
      stream_.next(batch);
      weight += objective_->weight(batch);
    }
    std::vector<PendingLoss> losses;
    for (const Batch& batch : batches_) {
      parameters_.zero_gradients();
      losses.push_back(learner_.accumulate(
          batch,
          {.seed = train_.seed, .update = static_cast<std::uint64_t>(number), .micro_batch = 0},
          weight));
      sum_.add(static_cast<std::int64_t>(losses.size()) - 1);
    }
    optimiser_.step(number, 1e-6, sum_.total());
    for (const PendingLoss& loss : losses) {
      loss.read();
    }
  }

  double updates_per_pass() const {
    return static_cast<double>(stream_.epoch_batches()) / static_cast<double>(train_.accumulate);
  }

 private:
  const TrainConfig& train_;
  std::unique_ptr<Objective> objective_;
  Parameters parameters_;
  Optimiser optimiser_;
  GradientSum sum_;
  Learner learner_;
  BatchStream stream_;
  std::vector<Batch> batches_;
};

}  // namespace

Speed measure_speed(const Task& task, const std::shared_ptr<const Examples>& examples,
                    const TrainConfig& train, Backend& backend, double seconds,
                    const SecondsClock& clock) {
  SpeedRun run(task, examples, train, backend);
  run.update(1);
  const double began = clock();
  std::int64_t done = 0;
  double spent = 0;
  while (done == 0 || (spent < seconds && done < kMostTimed)) {
    ++done;
    run.update(done + 1);
    spent = clock() - began;
  }
  return {spent / static_cast<double>(done), run.updates_per_pass()};
}

}  // namespace yona
