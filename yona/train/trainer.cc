#include "yona/train/trainer.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/timing.h"
#include "yona/data/batches.h"
#include "yona/io/atomic_file.h"
#include "yona/train/progress_lines.h"
#include "yona/train/run_record.h"
#include "yona/train/run_saver.h"
#include "yona/train/tensorboard_reporter.h"
#include "yona/train/training_step.h"
#include "yona/train/validations.h"

namespace yona {

namespace {

// The run's settings for the optimiser: what the task never changes is frozen besides.
TrainConfig with_constants_frozen(TrainConfig train, const Task& task) {
  const std::vector<std::string> constants = task.constants();
  train.freeze.insert(train.freeze.end(), constants.begin(), constants.end());
  return train;
}

class Trainer {
 public:
  Trainer(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options);
  TrainResult run();

 private:
  RunPlan plan();
  void restore();
  bool finished() const;
  // Reports an update, and stops a run that has lost its way.
  void conclude(const PendingUpdate& update);
  void conclude_last();
  // What the ranks agree on after an update.
  struct Agreement {
    bool stops = false;
    bool writes_early = false;
  };
  Agreement agree();
  void after_update(const Agreement& agreed);
  // How long the run will take, once, where that was not measured before it began.
  void report_time();
  void validate();
  void save();
  // What is left to do when there are no more updates.
  void finish();
  FinishReport finish_report() const;

  TrainerOptions options_;
  std::optional<TensorBoardReporter> tensorboard_;
  Reporters reporter_;
  FiniteGuard guard_;
  RunStart start_;
  Backend& backend_ = start_.backend();
  Task& task_ = start_.task();
  const Team& team_ = start_.team();
  const TrainConfig& train_ = start_.train();
  RunState& state_ = start_.state();
  std::unique_ptr<Objective> objective_;
  Parameters parameters_;
  Optimiser optimiser_;
  const RunParts run_{options_, start_, parameters_, optimiser_, guard_, reporter_};
  TrainingStep step_;
  Validations validations_;
  RunSaver saver_;
  std::optional<PendingUpdate> pending_;  // the last update, unless it is concluded
  Clock::time_point began_ = Clock::now();
  Clock::time_point concluded_ = began_;  // when the last one was
  bool is_time_known_ = false;
  std::optional<double> timed_from_{};  // by the clock
  std::int64_t timed_update_ = 0;       // that had been done then
  bool interrupted_ = false;
};

Trainer::Trainer(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options)
    : options_(options),
      reporter_(options.reporter),
      guard_(train, reporter_),
      start_(std::move(train), make_task, options_, reporter_),
      objective_(task_.make_objective()),
      parameters_(objective_->model(), backend_, Gradients::yes),
      optimiser_(parameters_, backend_, with_constants_frozen(train_, task_), team_.ranks()),
      step_(run_, *objective_),
      validations_(run_, *objective_),
      saver_(run_) {
  objective_->model().set_recompute(train_.recompute);
  restore();
  if (team_.leads()) {
    replace_file(options_.output / "config.yaml", task_.settings(train_));
  }
  start_.let_ranks_begin(parameters_);
  start_.join_ranks();
  if (train_.tensorboard && team_.leads()) {
    tensorboard_.emplace(options_.output / "tensorboard", state_.update, train_.log_every);
    reporter_.add(*tensorboard_);
  }
}

void Trainer::restore() {
  if (const std::optional<Checkpoint>& checkpoint = start_.checkpoint()) {
    task_.read_weights(checkpoint->path, parameters_);
    load_optimiser(checkpoint->path, optimiser_);
    if (!state_.choices.empty() && !backend_.take_choices(state_.choices)) {
      reporter_.message(MessageLevel::warning,
                        "this is another device than the run's before, or another version of its "
                        "library: results will differ in their last bits");
    }
    state_.interrupted = false;
    saver_.resume();
    reporter_.message(MessageLevel::info,
                      fmt::format("going on from {}", checkpoint->path.string()));
  } else {
    parameters_.initialise(train_.seed);
    if (const std::filesystem::path init = start_.init(); !init.empty()) {
      task_.read_weights(init, parameters_);
    }
    optimiser_.start_average();
  }
  if (validation_differs(state_.record, start_.record())) {
    reporter_.message(MessageLevel::info,
                      "the validation set differs from the earlier one: from now on the best "
                      "model is chosen by it");
    state_.forget_scores();
  }
  state_.record = start_.record();
  if (state_.best_by != train_.best_by) {  // what was the best is not known in its terms
    state_.best_by = train_.best_by;
    state_.forget_scores();
  }
  state_.higher_is_better = train_.best_by != "loss" && task_.higher_is_better(train_.best_by);
  step_.open_data();
}

RunPlan Trainer::plan() {
  const MemoryPlan memory = plan_memory(start_.planned(), train_.batch_tokens);
  RunPlan plan;
  task_.describe(plan);
  plan.parameters = parameters_.count();
  plan.frozen_parameters = optimiser_.frozen_count();
  plan.examples = static_cast<std::int64_t>(epoch_examples(step_.examples()));
  plan.peak_memory_bytes = memory.total();
  plan.device_memory_bytes = backend_.memory_bytes();
  plan.first_update = state_.update;
  plan.updates = step_.expected_end(state_.update);
  plan.epochs = plan.updates < train_.updates ? train_.epochs : 0;
  plan.seconds = start_.time().seconds;
  plan.passes = start_.time().passes;
  plan.timed = train_.seconds > 0;
  plan.batch_tokens = train_.batch_tokens;
  plan.accumulate = train_.accumulate;
  plan.device = options_.device;
  plan.ranks = team_.size();
  plan.threads = backend_.exec().pool != nullptr ? backend_.exec().pool->threads() : 1;
  plan.precision = train_.precision == Precision::bf16 ? "bf16" : "f32";
  plan.output = options_.output;
  return plan;
}

bool Trainer::finished() const {
  return state_.update >= train_.updates ||
         (train_.epochs > 0 && state_.position.epoch >= train_.epochs) ||
         validations_.is_patience_over();
}

void Trainer::conclude(const PendingUpdate& update) {
  UpdateReport report = update.finish(concluded_, team_, train_.accumulate);
  concluded_ = Clock::now();
  report.seconds = seconds_since(began_);
  guard_.check(report, update.describe_batches(step_.examples()));
  reporter_.updated(report);
}

void Trainer::conclude_last() {
  if (pending_) {
    conclude(*std::exchange(pending_, std::nullopt));
  }
}

TrainResult Trainer::run() {
  const RunPlan begun = plan();
  is_time_known_ = begun.seconds > 0;
  reporter_.started(begun);
  began_ = Clock::now();
  while (!finished()) {
    PendingUpdate started = step_.start();
    state_.update = started.report.update;
    state_.position = step_.position();
    conclude_last();
    pending_ = std::move(started);
    if (backend_.on_host()) {  // done already
      conclude_last();
    }
    const Agreement agreed = agree();
    after_update(agreed);
    report_time();
    if (agreed.stops && !finished()) {  // in the last update: ends as ever
      interrupted_ = true;
      break;
    }
  }
  finish();
  const FinishReport report = finish_report();
  reporter_.finished(report);
  return {report.updates, report.best_loss, report.stopped_early, report.interrupted};
}

void Trainer::finish() {
  conclude_last();
  if (!interrupted_ && validations_.any() && !state_.scores.contains(state_.update)) {
    validate();
  }
  if (!saver_.is_saved()) {
    state_.interrupted = interrupted_;
    save();
  }
  if (!validations_.any()) {
    saver_.write_newest_model();
  }
  saver_.write_missing_model();
}

Trainer::Agreement Trainer::agree() {
  const bool stops = options_.stop != nullptr && options_.stop->load();
  const std::optional<int> stopping = team_.first_with(stops);
  if (stopping && team_.ranks() != nullptr) {
    reporter_.message(MessageLevel::info,
                      fmt::format("rank {} was asked to stop: saving first", *stopping));
  }
  return {stopping.has_value(), team_.first_with(saver_.wants_early_model()).has_value()};
}

void Trainer::after_update(const Agreement& agreed) {
  const auto due = [&](std::int64_t every) { return every > 0 && state_.update % every == 0; };
  if (validations_.any() && due(train_.valid_every)) {
    validate();
    save();
  } else if (due(train_.save_every)) {
    save();
  } else if (agreed.writes_early) {
    conclude_last();  // which may tell that the weights are lost
    saver_.write_newest_model();
  }
}

// The first update is not counted: it allocates memory and writes the model folder.
void Trainer::report_time() {
  constexpr double kSeconds = 3;
  if (is_time_known_ || finished()) {
    return;
  }
  const double now = options_.clock();
  if (!timed_from_) {
    timed_from_ = now;
    timed_update_ = state_.update;
    return;
  }
  if (now - *timed_from_ < kSeconds) {
    return;
  }
  is_time_known_ = true;
  const double each = (now - *timed_from_) / static_cast<double>(state_.update - timed_update_);
  const double per_pass =
      static_cast<double>(step_.epoch_batches()) / static_cast<double>(train_.accumulate);
  RunTime time{.updates = step_.expected_end(state_.update) - timed_update_ + 1,
               .is_rest = start_.checkpoint().has_value(),
               .can_be_shorter = !start_.checkpoint() && train_.seconds == 0};
  time.seconds = each * static_cast<double>(time.updates);
  time.passes = static_cast<double>(time.updates) / per_pass;
  reporter_.message(MessageLevel::info, line_of(time));
}

void Trainer::validate() {
  conclude_last();
  validations_.run(step_.learner(), saver_);
}

void Trainer::save() {
  conclude_last();
  saver_.save();
}

FinishReport Trainer::finish_report() const {
  FinishReport report;
  report.updates = state_.update;
  report.best_loss =
      std::isfinite(state_.best_loss) ? state_.best_loss : std::numeric_limits<double>::quiet_NaN();
  report.best_update = state_.best_update;
  report.best_by = state_.best_by;
  if (const auto best = state_.scores.find(state_.best_update); best != state_.scores.end()) {
    report.best_score = best->second;
  }
  report.seconds = seconds_since(began_);
  report.stopped_early = validations_.is_patience_over();
  report.interrupted = interrupted_;
  report.output = options_.output;
  return report;
}

}  // namespace

TrainResult run_training(TrainConfig train, const MakeTask& make_task,
                         const TrainerOptions& options) {
  return Trainer(std::move(train), make_task, options).run();
}

}  // namespace yona
