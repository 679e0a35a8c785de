#include "yona/train/trainer.h"

#include <algorithm>
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
#include "yona/io/checkpoints.h"
#include "yona/io/huggingface.h"
#include "yona/io/run_lock.h"
#include "yona/train/finite_guard.h"
#include "yona/train/learner.h"
#include "yona/train/memory_plan.h"
#include "yona/train/optimiser.h"
#include "yona/train/pending_update.h"
#include "yona/train/reporters.h"
#include "yona/train/run_inputs.h"
#include "yona/train/run_model.h"
#include "yona/train/run_record.h"
#include "yona/train/run_state.h"
#include "yona/train/samples.h"
#include "yona/train/schedule.h"
#include "yona/train/tensorboard_reporter.h"

namespace yona {

namespace {

constexpr const char* kBegunBy = "begun_by";  // of a record: an older version

LossConfig loss_config(const TrainConfig& train) {
  return {
      .label_smoothing = train.label_smoothing, .rdrop = train.rdrop, .precision = train.precision};
}

// What train.best_by names.
double deciding_figure(const ValidationReport& report, const std::string& name) {
  for (const ValidationFigure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return report.loss;
}

// Was the run begun by yona 0.1, which had everything decay?
bool is_of_0_1(const RunState& state) {
  return !state.same.is_null() || (state.record.is_object() && state.record.contains(kBegunBy));
}

// What the configuration leaves to the run that is resumed.
RunConfig with_run_values(RunConfig config, const RunState& state) {
  const bool is_old = !state.same.is_null();  // read from yona 0.1
  if (config.train.batch_tokens == 0 && is_old) {
    config.train.batch_tokens = state.same.value("train.batch_tokens", std::int64_t{0});
  } else if (config.train.batch_tokens == 0 && !state.record.is_null()) {
    config.train.batch_tokens = recorded_batch_tokens(state.record);
  }
  if (is_of_0_1(state)) {
    config.train.weight_decay_on = DecayOn::all;
  }
  return config;
}

class Trainer {
 public:
  Trainer(RunConfig config, const TrainerOptions& options);
  TrainResult run();

 private:
  RunPlan plan() const;
  // The model, once settings, sub-words and training files are known to be what the run began with.
  RunModel prepare();
  // What a resumed run has to be refused for, or be allowed.
  Differences differences(const RunModel& model);
  // Throws unless there is none or changes are allowed, which are reported.
  void accept(const Differences& found);
  void open_data();
  void restore();
  // Where changes made the epoch too short for the run's position in it: to the next.
  void enter_epoch();
  bool finished() const;
  // The update after which the run ends, as far as the data read so far tells, when `update` is the
  // last one that was read for.
  std::int64_t expected_end(std::int64_t update) const;
  // Reads the micro-batches of the next update; the position after them is the run's.
  void read_batches();
  // Asks the device for the next update.
  PendingUpdate start_update();
  // Reports an update, and stops a run that has lost its way.
  void conclude(const PendingUpdate& update);
  void conclude_last();
  Checkpoint saved_checkpoint() const;
  void after_update();
  void validate();
  void save();
  // The model folder: the best so far, or the newest where nothing is validated.
  void write_best();
  FinishReport finish_report() const;

  TrainerOptions options_;
  std::optional<TensorBoardReporter> tensorboard_;
  Reporters reporter_;
  FiniteGuard guard_;
  RunLock lock_;
  std::unique_ptr<Backend> backend_;
  std::optional<Checkpoint> checkpoint_;  // that the run goes on from
  RunState state_;                        // as the checkpoint has it, or of a new run
  RunConfig config_;
  Json record_;               // of this run as it is now
  bool has_changes_ = false;  // that --allow-changes let pass
  RunModel run_model_;
  const PairEncoder& encoder_ = run_model_.encoder;
  const ModelInfo& info_ = run_model_.info;
  Transformer model_;
  Parameters parameters_;
  Optimiser optimiser_;
  Learner learner_;
  std::shared_ptr<const Dataset> dataset_;
  std::vector<Validation> validation_;
  std::optional<Samples> samples_;
  std::optional<BatchStream> stream_;
  std::vector<PairBatch> batches_;
  std::optional<PendingUpdate> pending_;  // the last update, unless it is concluded
  Clock::time_point start_ = Clock::now();
  Clock::time_point concluded_ = start_;  // when the last one was
  std::int64_t saved_update_ = -1;
  std::int64_t written_update_ = -1;  // of the model folder
  bool interrupted_ = false;
  bool stopped_early_ = false;
};

Trainer::Trainer(RunConfig config, const TrainerOptions& options)
    : options_(options),
      reporter_(options.reporter),
      guard_(config.train, reporter_),
      lock_((prepare_folder(options), options.output)),
      backend_(make_backend(options.device,
                            {.threads = options.threads, .measure = config.train.measure})),
      checkpoint_((clean_run(options.output),
                   options.resume ? latest_checkpoint(options.output) : std::nullopt)),
      state_(checkpoint_ ? load_state(checkpoint_->path) : RunState{}),
      config_(
          with_run_values(with_usable_precision(std::move(config), *backend_, reporter_), state_)),
      run_model_(prepare()),
      model_(info_.config),
      parameters_(model_, *backend_, Gradients::yes),
      optimiser_(parameters_, *backend_, with_constants_frozen(config_.train, info_)),
      learner_(model_, *backend_, loss_config(config_.train)) {
  open_data();
  batches_.resize(static_cast<std::size_t>(config_.train.accumulate));
  restore();
  if (const std::string reason = choose_family(describe(info_)).reason;
      info_.family.empty() && !reason.empty()) {
    reporter_.message(MessageLevel::warning, reason);
  }
  replace_file(options_.output / "config.yaml", to_yaml(with_absolute_paths(config_)));
  if (config_.train.tensorboard) {
    tensorboard_.emplace(options_.output / "tensorboard", state_.update, config_.train.log_every);
    reporter_.add(*tensorboard_);
  }
}

RunModel Trainer::prepare() {
  check_validation_lines(config_);
  if (!checkpoint_) {
    options_.init = init_of(options_);
  }
  record_["corpora"] = recorded_corpora(config_.data.corpora);
  record_["init"] = state_.record.is_null() ? Json("") : state_.record.value("init", Json(""));
  if (!options_.init.empty()) {
    record_["init"] = std::filesystem::absolute(options_.init).string();
  }
  if (is_of_0_1(state_)) {
    record_[kBegunBy] = "0.1";
  }
  RunModel model = prepare_model(config_, options_, checkpoint_, reporter_);
  config_.model = model.info.config;
  config_.data.max_length = std::min(config_.data.max_length, config_.model.max_positions);
  record_["model"] = recorded_model(model.info);
  record_["subwords"] = recorded_subwords(model.encoder);
  record_["platform"] = recorded_platform(*backend_);
  const bool average = config_.train.ema > 0;
  if (config_.train.batch_tokens == 0) {
    config_.train.batch_tokens = largest_batch(config_.model, loss_config(config_.train), average,
                                               backend_->memory_bytes(), backend_->device());
  }
  record_["settings"] = recorded_settings(config_);
  if (checkpoint_) {
    accept(differences(model));
  }
  if (!checkpoint_ || options_.allow_changes) {
    keep_languages(model, options_.output);  // which may have been refused until here
  }
  check_memory(config_.model, loss_config(config_.train), average, config_.train.batch_tokens,
               backend_->memory_bytes(), backend_->device());
  return model;
}

Differences Trainer::differences(const RunModel& model) {
  if (state_.record.is_null()) {
    reporter_.message(MessageLevel::warning,
                      "the run was begun by yona 0.1, which recorded neither all settings nor the "
                      "data: that they are the same is not checked");
    return differences_from_0_1(state_.same, config_, model.info);
  }
  for (const std::string& warning :
       platform_warnings(state_.record.value("platform", Json::object()), record_["platform"])) {
    reporter_.message(MessageLevel::warning, warning);
  }
  Differences found = records_that_differ(state_.record, record_, config_.data.corpora);
  found += given_subwords_that_differ(config_.data, model.encoder);
  return found;
}

void Trainer::accept(const Differences& found) {
  check_differences(found, options_.allow_changes ? AllowChanges::yes : AllowChanges::no,
                    checkpoint_->path);
  has_changes_ = !found.changes.empty();
  for (const std::string& change : found.changes) {
    reporter_.message(MessageLevel::warning, fmt::format("changed: {}", change));
    state_.changes.push_back(fmt::format("update {}: {}", state_.update, change));
  }
}

void Trainer::open_data() {
  dataset_ =
      prepare_training_set(config_, encoder_, options_.output, *backend_->exec().pool, reporter_);
  add_digests(record_["corpora"], *dataset_);
  if (!has_changes_ && state_.record.contains("corpora")) {  // else there is a reason for others
    accept(
        pairs_that_differ(state_.record.at("corpora"), record_["corpora"], config_.data.corpora));
  }
  validation_ = prepare_validation(config_, encoder_, info_.config.max_positions, options_.output,
                                   *backend_->exec().pool, reporter_);
  if (options_.samples > 0 && !config_.data.valid.empty()) {
    samples_.emplace(corpus_of(config_.data.valid.front(), config_.data.corpora), encoder_,
                     options_.samples, info_.config.max_positions);
  }
}

void Trainer::restore() {
  if (checkpoint_) {
    load_weights(checkpoint_->path, parameters_, optimiser_);
    if (!state_.choices.empty() && !backend_->take_choices(state_.choices)) {
      reporter_.message(MessageLevel::warning,
                        "this is another device than the run's before, or another version of its "
                        "library: results will differ in their last bits");
    }
    saved_update_ = state_.update;
    guard_.saved(saved_checkpoint());
    reporter_.message(MessageLevel::info,
                      fmt::format("going on from {}", checkpoint_->path.string()));
  } else {
    parameters_.initialise(config_.train.seed);
    if (!options_.init.empty()) {
      read_weights(options_.init, parameters_);
    }
    optimiser_.start_average();
  }
  state_.record = record_;
  if (state_.best_by != config_.train.best_by) {  // what was the best is not known in its terms
    state_.best_by = config_.train.best_by;
    state_.scores.clear();
    state_.best_loss = std::numeric_limits<double>::infinity();
    state_.best_update = state_.bad_validations = 0;
  }
  if (has_changes_) {
    enter_epoch();
  }
  stream_.emplace(BatchStream::training(
      dataset_, {.batch_tokens = config_.train.batch_tokens, .seed = config_.train.seed},
      state_.position));
}

void Trainer::enter_epoch() {
  const std::int64_t epoch = state_.position.epoch;
  const std::int64_t batches =
      BatchPlan::shuffled(*dataset_, config_.train.batch_tokens, config_.train.seed, epoch)
          .batches();
  if (state_.position.index > batches) {
    reporter_.message(MessageLevel::warning,
                      fmt::format("epoch {} now has {} batches, and the run was at batch {}: it "
                                  "goes on with epoch {}",
                                  epoch, batches, state_.position.index, epoch + 1));
    state_.position = {epoch + 1, 0};
  }
}

RunPlan Trainer::plan() const {
  const MemoryPlan memory =
      plan_memory(info_.config, loss_config(config_.train), config_.train.ema > 0,
                  config_.train.batch_tokens, backend_->device());
  RunPlan plan;
  plan.model = info_.family.empty() ? config_.preset : info_.family;
  plan.parameters = parameters_.count();
  plan.frozen_parameters = optimiser_.frozen_count();
  plan.source_vocabulary = info_.config.source_vocabulary;
  plan.target_vocabulary = info_.config.target_vocabulary;
  plan.pairs = static_cast<std::int64_t>(epoch_pairs(*dataset_));
  plan.peak_memory_bytes = memory.total();
  plan.device_memory_bytes = backend_->memory_bytes();
  plan.first_update = state_.update;
  plan.updates = expected_end(state_.update);
  plan.epochs = plan.updates < config_.train.updates ? config_.train.epochs : 0;
  plan.batch_tokens = config_.train.batch_tokens;
  plan.accumulate = config_.train.accumulate;
  plan.device = options_.device;
  plan.threads = backend_->exec().pool != nullptr ? backend_->exec().pool->threads() : 1;
  plan.precision = config_.train.precision == Precision::bf16 ? "bf16" : "f32";
  plan.output = options_.output;
  return plan;
}

bool Trainer::finished() const {
  const TrainConfig& train = config_.train;
  return state_.update >= train.updates ||
         (train.epochs > 0 && state_.position.epoch >= train.epochs) ||
         (train.patience > 0 && state_.bad_validations >= train.patience);
}

std::int64_t Trainer::expected_end(std::int64_t update) const {
  const TrainConfig& train = config_.train;
  if (train.epochs == 0) {
    return train.updates;
  }
  const BatchPosition at = stream_->position();
  const std::int64_t whole = stream_->epoch_batches();  // epochs differ by a batch or two
  const std::int64_t left =
      at.epoch < train.epochs ? (train.epochs - at.epoch) * whole - at.index : 0;
  return std::min(train.updates, update + (left + train.accumulate - 1) / train.accumulate);
}

void Trainer::read_batches() {
  for (PairBatch& batch : batches_) {
    stream_->next(batch);
  }
}

PendingUpdate Trainer::start_update() {
  PendingUpdate pending;
  pending.start = Clock::now();
  read_batches();
  pending.first_batch = batches_.front().index;
  pending.first_sentence = batches_.front().sentence_ids.front();
  double weight = 0;
  for (const PairBatch& batch : batches_) {
    weight += target_weight(batch);
  }
  UpdateReport& report = pending.report;
  report.update = state_.update + 1;
  report.updates = expected_end(report.update);
  report.epoch = batches_.front().epoch;
  parameters_.zero_gradients();
  for (std::size_t micro = 0; micro < batches_.size(); ++micro) {
    pending.losses.push_back(
        learner_.accumulate(batches_[micro],
                            {.seed = config_.train.seed,
                             .update = static_cast<std::uint64_t>(report.update),
                             .micro_batch = static_cast<std::uint32_t>(micro)},
                            weight));
    report.source_tokens += batches_[micro].source.tokens();
  }
  report.learning_rate = learning_rate(config_.train.schedule, info_.config.d_model,
                                       config_.train.updates, report.update);
  optimiser_.step(report.update, report.learning_rate);
  pending.squared_norm = optimiser_.read_squared_norm();
  return pending;
}

void Trainer::conclude(const PendingUpdate& update) {
  UpdateReport report = update.finish(concluded_);
  concluded_ = Clock::now();
  report.seconds = seconds_since(start_);
  guard_.check(report, update.describe_batches(config_.data.corpora));
  reporter_.updated(report);
}

void Trainer::conclude_last() {
  if (pending_) {
    conclude(*std::exchange(pending_, std::nullopt));
  }
}

Checkpoint Trainer::saved_checkpoint() const {
  return {saved_update_, options_.output / "checkpoints" / fmt::format("step-{}", saved_update_)};
}

TrainResult Trainer::run() {
  reporter_.started(plan());
  start_ = Clock::now();
  while (!finished()) {
    PendingUpdate started = start_update();
    state_.update = started.report.update;
    state_.position = stream_->position();
    conclude_last();
    pending_ = std::move(started);
    if (backend_->device() == Device::cpu) {  // done already
      conclude_last();
    }
    after_update();
    if (options_.stop != nullptr && options_.stop->load()) {
      interrupted_ = true;
      break;
    }
  }
  conclude_last();
  if (!interrupted_ && !validation_.empty() && !state_.scores.contains(state_.update)) {
    validate();
  }
  if (saved_update_ != state_.update) {
    save();
  }
  const bool is_newest = written_update_ == state_.update || guard_.is_lost();
  if ((validation_.empty() && !is_newest) ||
      !std::filesystem::exists(options_.output / "model.safetensors")) {
    const WeightsInUse averaged(parameters_, optimiser_);
    write_best();
  }
  stopped_early_ = config_.train.patience > 0 && state_.bad_validations >= config_.train.patience;
  const FinishReport report = finish_report();
  reporter_.finished(report);
  return {report.updates, report.best_loss, report.stopped_early, report.interrupted};
}

void Trainer::after_update() {
  const auto due = [&](std::int64_t every) { return every > 0 && state_.update % every == 0; };
  if (!validation_.empty() && due(config_.train.valid_every)) {
    validate();
    save();
  } else if (due(config_.train.save_every)) {
    save();
  }
}

void Trainer::validate() {
  conclude_last();
  const WeightsInUse averaged(parameters_, optimiser_);
  for (std::size_t i = 0; i < validation_.size(); ++i) {
    ValidationReport report = validation_[i].run(learner_, model_, *backend_);
    report.update = state_.update;
    if (i == 0) {
      const double score = deciding_figure(report, state_.best_by);
      report.is_best = state_.is_best(score);
      state_.scores[state_.update] = score;
      state_.bad_validations = report.is_best ? 0 : state_.bad_validations + 1;
      if (report.is_best) {
        state_.best_loss = report.loss;
        state_.best_update = state_.update;
        write_best();
      }
    }
    reporter_.validated(report);
  }
  if (samples_) {
    SamplesReport report = samples_->run(model_, *backend_);
    report.update = state_.update;
    reporter_.sampled(report);
  }
}

void Trainer::write_best() {
  try {
    write_model(options_.output, info_, encoder_.subwords(), parameters_, parameters_.weights());
    written_update_ = state_.update;
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
  state_.choices = backend_->choices();
  save_checkpoint(options_.output, state_, info_, parameters_, optimiser_);
  saved_update_ = state_.update;
  reporter_.saved(state_.update, saved_checkpoint().path);
  guard_.saved(saved_checkpoint());
  std::vector<std::int64_t> all;
  for (const Checkpoint& checkpoint : list_checkpoints(options_.output)) {
    all.push_back(checkpoint.step);
  }
  std::set<std::int64_t> keep =
      state_.to_keep(all, config_.train.keep_best, config_.train.keep_last);
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
  report.seconds = seconds_since(start_);
  report.stopped_early = stopped_early_;
  report.interrupted = interrupted_;
  report.output = options_.output;
  return report;
}

}  // namespace

TrainResult train(RunConfig config, const TrainerOptions& options) {
  check(!config.data.corpora.empty(),
        "train: there is no training data; give --train-src and --train-tgt, or data.train in the "
        "configuration");
  check(options.init.empty() ||
            (config.data.source_model.empty() && config.data.target_model.empty()),
        "train: --init {} has its own sub-words; leave out data.source_model and "
        "data.target_model",
        options.init.string());
  TransformerConfig shape = config.model;  // before any work is done; vocabularies come later
  shape.source_vocabulary = shape.target_vocabulary = 1000;
  check_config(shape);
  return Trainer(std::move(config), options).run();
}

}  // namespace yona
