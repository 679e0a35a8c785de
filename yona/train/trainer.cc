#include "yona/train/trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/timing.h"
#include "yona/data/batch_stream.h"
#include "yona/data/batches.h"
#include "yona/io/atomic_file.h"
#include "yona/train/finite_guard.h"
#include "yona/train/gradient_sum.h"
#include "yona/train/optimiser.h"
#include "yona/train/pending_update.h"
#include "yona/train/progress_lines.h"
#include "yona/train/reporters.h"
#include "yona/train/run_start.h"
#include "yona/train/schedule.h"
#include "yona/train/tensorboard_reporter.h"

namespace yona {

namespace {

// What train.best_by names.
double deciding_figure(const ValidationReport& report, const std::string& name) {
  for (const ValidationFigure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return report.loss;
}

// The run's settings for the optimiser: what the task never changes is frozen besides.
TrainConfig with_constants_frozen(TrainConfig train, const Task& task) {
  const std::vector<std::string> constants = task.constants();
  train.freeze.insert(train.freeze.end(), constants.begin(), constants.end());
  return train;
}

bool was_interrupted(const std::filesystem::path& checkpoint) {
  try {
    return load_state(checkpoint).interrupted;
  } catch (const Error&) {  // damaged: no reason to end a run that goes on
    return false;
  }
}

class Trainer {
 public:
  Trainer(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options);
  TrainResult run();

 private:
  RunPlan plan();
  void restore();
  // Where changes made the epoch too short for the run's position in it: to the next.
  void enter_epoch();
  bool finished() const;
  // The update after which the run ends, as far as the data read so far tells, when `update` is the
  // last one that was read for.
  std::int64_t expected_end(std::int64_t update) const;
  // Reads the micro-batches of the next update; the position after them is the run's.
  void read_batches();
  // Adds up the results of all micro-batches of the update, in their order; returns the sum of
  // weights.
  double add_up(UpdateReport& report) const;
  // Asks the device for the next update.
  PendingUpdate start_update();
  // Reports an update, and stops a run that has lost its way.
  void conclude(const PendingUpdate& update);
  void conclude_last();
  Checkpoint saved_checkpoint() const;
  // What the ranks agree on after an update.
  struct Agreement {
    bool stops = false;
    bool writes_early = false;
  };
  Agreement agree();
  void after_update(const Agreement& agreed);
  // So that there is a model to try out within the first minute: after the first update, and then
  // every half a minute until something is validated.
  bool wants_early() const;
  void write_early();
  // How long the run will take, once, where that was not measured before it began.
  void report_time();
  void validate();
  // Is it the best so far? By the validation set that decides.
  void judge(ValidationReport& report);
  void save();
  void prune();
  // The model folder: the best so far, or the newest where nothing is validated.
  void write_best();
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
  GradientSum sum_;
  Learner learner_;
  std::shared_ptr<const Examples> examples_;
  std::vector<std::unique_ptr<Evaluation>> evaluations_;
  std::unique_ptr<Sampler> samples_;
  std::optional<BatchStream> stream_;
  std::vector<Batch> batches_;
  std::optional<PendingUpdate> pending_;  // the last update, unless it is concluded
  Clock::time_point began_ = Clock::now();
  Clock::time_point concluded_ = began_;  // when the last one was
  std::int64_t saved_update_ = -1;
  std::int64_t written_update_ = -1;  // of the model folder
  double written_at_ = 0;             // by the clock
  bool is_time_known_ = false;
  std::optional<double> timed_from_{};  // by the clock
  std::int64_t timed_update_ = 0;       // that had been done then
  bool interrupted_ = false;
  bool stopped_early_ = false;
};

Trainer::Trainer(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options)
    : options_(options),
      reporter_(options.reporter),
      guard_(train, reporter_),
      start_(std::move(train), make_task, options_, reporter_),
      objective_(task_.make_objective()),
      parameters_(objective_->model(), backend_, Gradients::yes),
      optimiser_(parameters_, backend_, with_constants_frozen(train_, task_), team_.ranks()),
      sum_(parameters_, backend_, train_.accumulate, team_.ranks(), train_.exchange),
      learner_(*objective_, parameters_, backend_, train_.precision),
      examples_(start_.examples()) {
  objective_->model().set_recompute(train_.recompute);
  start_.add_examples(*examples_);
  evaluations_ = task_.open_evaluations(*objective_, train_);
  learner_.share(team_);
  if (sum_.overlaps()) {
    learner_.when_final([this](std::int64_t final_from) { sum_.advance(final_from); });
  }
  samples_ = options_.samples > 0 && team_.leads() ? task_.open_samples(*objective_) : nullptr;
  batches_.resize(static_cast<std::size_t>(
      sum_.has_micro_batch(sum_.rounds() - 1) ? sum_.rounds() : sum_.rounds() - 1));
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
    saved_update_ = state_.update;
    state_.interrupted = false;
    guard_.saved(saved_checkpoint());
    reporter_.message(MessageLevel::info,
                      fmt::format("going on from {}", checkpoint->path.string()));
  } else {
    parameters_.initialise(train_.seed);
    if (const std::filesystem::path init = start_.init(); !init.empty()) {
      task_.read_weights(init, parameters_);
    }
    optimiser_.start_average();
  }
  state_.record = start_.record();
  if (state_.best_by != train_.best_by) {  // what was the best is not known in its terms
    state_.best_by = train_.best_by;
    state_.scores.clear();
    state_.best_loss = std::numeric_limits<double>::infinity();
    state_.best_update = state_.bad_validations = 0;
  }
  state_.higher_is_better = train_.best_by != "loss" && task_.higher_is_better(train_.best_by);
  if (start_.has_changes()) {
    enter_epoch();
  }
  stream_.emplace(BatchStream::training(examples_,
                                        {.batch_tokens = train_.batch_tokens,
                                         .seed = train_.seed,
                                         .rank = team_.rank(),
                                         .world_size = team_.size(),
                                         .group = train_.accumulate},
                                        state_.position));
}

void Trainer::enter_epoch() {
  const std::int64_t epoch = state_.position.epoch;
  const std::int64_t batches =
      BatchPlan::shuffled(*examples_, train_.batch_tokens, train_.seed, epoch).batches();
  if (state_.position.index > batches) {
    reporter_.message(MessageLevel::warning,
                      fmt::format("epoch {} now has {} batches, and the run was at batch {}: it "
                                  "goes on with epoch {}",
                                  epoch, batches, state_.position.index, epoch + 1));
    state_.position = {epoch + 1, 0};
  }
}

RunPlan Trainer::plan() {
  const MemoryPlan memory = plan_memory(start_.planned(), train_.batch_tokens);
  RunPlan plan;
  task_.describe(plan);
  plan.parameters = parameters_.count();
  plan.frozen_parameters = optimiser_.frozen_count();
  plan.pairs = static_cast<std::int64_t>(epoch_examples(*examples_));
  plan.peak_memory_bytes = memory.total();
  plan.device_memory_bytes = backend_.memory_bytes();
  plan.first_update = state_.update;
  plan.updates = expected_end(state_.update);
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
         (train_.patience > 0 && state_.bad_validations >= train_.patience);
}

std::int64_t Trainer::expected_end(std::int64_t update) const {
  if (train_.epochs == 0) {
    return train_.updates;
  }
  const BatchPosition at = stream_->position();
  const std::int64_t whole = stream_->epoch_batches();  // epochs differ by a batch or two
  const std::int64_t left =
      at.epoch < train_.epochs ? (train_.epochs - at.epoch) * whole - at.index : 0;
  return std::min(train_.updates, update + (left + train_.accumulate - 1) / train_.accumulate);
}

void Trainer::read_batches() {
  for (Batch& batch : batches_) {
    stream_->next(batch);
  }
}

double Trainer::add_up(UpdateReport& report) const {
  std::vector<double> own;
  for (const Batch& batch : batches_) {
    own.insert(own.end(),
               {objective_->weight(batch), static_cast<double>(batch.sides.front().rows())});
  }
  const std::vector<double> all = team_.in_order(own, 2, train_.accumulate);
  double weight = 0;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    weight += all[i];
    report.source_tokens += static_cast<std::int64_t>(all[i + 1]);
  }
  return weight;
}

PendingUpdate Trainer::start_update() {
  PendingUpdate pending;
  pending.start = Clock::now();
  read_batches();
  pending.first_batch = batches_.front().index;
  pending.first_example = batches_.front().example_ids.front();
  UpdateReport& report = pending.report;
  report.update = state_.update + 1;
  report.updates = expected_end(report.update);
  report.epoch = batches_.front().epoch;
  const double weight = add_up(report);
  for (std::int64_t round = 0; round < sum_.rounds(); ++round) {
    parameters_.zero_gradients();
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
      learning_rate(train_.schedule, task_.width(), train_.updates, report.update);
  optimiser_.step(report.update, report.learning_rate, sum_.total());
  pending.squared_norm = optimiser_.read_squared_norm();
  return pending;
}

void Trainer::conclude(const PendingUpdate& update) {
  UpdateReport report = update.finish(concluded_, team_, train_.accumulate);
  concluded_ = Clock::now();
  report.seconds = seconds_since(began_);
  guard_.check(report, update.describe_batches(*examples_));
  reporter_.updated(report);
}

void Trainer::conclude_last() {
  if (pending_) {
    conclude(*std::exchange(pending_, std::nullopt));
  }
}

Checkpoint Trainer::saved_checkpoint() const {
  return checkpoint_at(options_.output, saved_update_);
}

TrainResult Trainer::run() {
  const RunPlan begun = plan();
  is_time_known_ = begun.seconds > 0;
  reporter_.started(begun);
  began_ = Clock::now();
  while (!finished()) {
    PendingUpdate started = start_update();
    state_.update = started.report.update;
    state_.position = stream_->position();
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
  conclude_last();
  if (!interrupted_ && !evaluations_.empty() && !state_.scores.contains(state_.update)) {
    validate();
  }
  if (saved_update_ != state_.update) {
    state_.interrupted = interrupted_;
    save();
  }
  const bool is_newest = written_update_ == state_.update || guard_.is_lost();
  const bool is_missing =
      team_.leads() && !std::filesystem::exists(options_.output / "model.safetensors");
  if ((evaluations_.empty() && !is_newest) || team_.first_with(is_missing)) {
    const WeightsInUse averaged(parameters_, optimiser_);
    write_best();
  }
  stopped_early_ = train_.patience > 0 && state_.bad_validations >= train_.patience;
  const FinishReport report = finish_report();
  reporter_.finished(report);
  return {report.updates, report.best_loss, report.stopped_early, report.interrupted};
}

bool Trainer::wants_early() const {
  constexpr double kSeconds = 30;
  return team_.leads() && state_.best_update == 0 && !guard_.is_lost() &&
         (written_update_ < 0 || options_.clock() - written_at_ >= kSeconds);
}

void Trainer::write_early() {
  conclude_last();
  if (guard_.is_lost()) {  // as is only known now
    return;
  }
  const WeightsInUse averaged(parameters_, optimiser_);
  write_best();
}

Trainer::Agreement Trainer::agree() {
  const bool stops = options_.stop != nullptr && options_.stop->load();
  const std::optional<int> stopping = team_.first_with(stops);
  if (stopping && team_.ranks() != nullptr) {
    reporter_.message(MessageLevel::info,
                      fmt::format("rank {} was asked to stop: saving first", *stopping));
  }
  return {stopping.has_value(), team_.first_with(wants_early()).has_value()};
}

void Trainer::after_update(const Agreement& agreed) {
  const auto due = [&](std::int64_t every) { return every > 0 && state_.update % every == 0; };
  if (!evaluations_.empty() && due(train_.valid_every)) {
    validate();
    save();
  } else if (due(train_.save_every)) {
    save();
  } else if (agreed.writes_early) {
    write_early();
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
      static_cast<double>(stream_->epoch_batches()) / static_cast<double>(train_.accumulate);
  RunTime time{.updates = expected_end(state_.update) - timed_update_ + 1,
               .is_rest = start_.checkpoint().has_value(),
               .can_be_shorter = !start_.checkpoint() && train_.seconds == 0};
  time.seconds = each * static_cast<double>(time.updates);
  time.passes = static_cast<double>(time.updates) / per_pass;
  reporter_.message(MessageLevel::info, line_of(time));
}

void Trainer::validate() {
  conclude_last();
  const WeightsInUse averaged(parameters_, optimiser_);
  for (std::size_t i = 0; i < evaluations_.size(); ++i) {
    ValidationReport report = evaluations_[i]->run(learner_);
    report.update = state_.update;
    if (i == 0) {
      judge(report);
    }
    reporter_.validated(report);
  }
  if (samples_) {
    SamplesReport report = samples_->run();
    report.update = state_.update;
    reporter_.sampled(report);
  }
}

void Trainer::judge(ValidationReport& report) {
  std::array values{deciding_figure(report, state_.best_by), report.loss};
  team_.follow_leader(values);
  const auto [score, loss] = values;
  report.is_best = state_.is_best(score);
  state_.scores[state_.update] = score;
  state_.bad_validations = report.is_best ? 0 : state_.bad_validations + 1;
  if (report.is_best) {
    state_.best_loss = loss;
    state_.best_update = state_.update;
    write_best();
  }
}

void Trainer::write_best() {
  try {
    if (team_.leads()) {
      task_.write_model(options_.output, parameters_);
    }
    written_update_ = state_.update;
    written_at_ = options_.clock();
  } catch (const IoError& error) {
    fail<IoError>("saving the model of update {}: {}; {}", state_.update, error.what(),
                  what_stands(options_.output));
  }
}

void Trainer::save() {
  conclude_last();
  // Until something is validated, the folder has the newest that is worth something.
  if (state_.best_update == 0 && !guard_.is_lost()) {
    const WeightsInUse averaged(parameters_, optimiser_);
    write_best();  // first: a run that is killed here does both again
  }
  state_.choices = backend_.choices();
  const std::vector<OptimiserState> optimiser = optimiser_.collect();
  saved_update_ = state_.update;
  if (!team_.leads()) {
    return;
  }
  save_checkpoint(options_.output, state_, optimiser, [&](const std::filesystem::path& folder) {
    task_.write_checkpoint(folder, parameters_);
  });
  reporter_.saved(state_.update, saved_checkpoint().path);
  guard_.saved(saved_checkpoint());
  prune();
}

void Trainer::prune() {
  std::vector<std::int64_t> all;
  for (const Checkpoint& checkpoint : list_checkpoints(options_.output)) {
    // One that a signal made is of no use once there is a later one, and takes no other's place.
    if (checkpoint.step == saved_update_ || !was_interrupted(checkpoint.path)) {
      all.push_back(checkpoint.step);
    }
  }
  std::set<std::int64_t> keep = state_.to_keep(all, train_.keep_best, train_.keep_last);
  if (guard_.is_lost() && guard_.last_good()) {  // all that are newer may be worthless
    keep.insert(guard_.last_good()->step);
  }
  prune_checkpoints(options_.output, keep);
  guard_.keeps(keep);
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
  report.stopped_early = stopped_early_;
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
