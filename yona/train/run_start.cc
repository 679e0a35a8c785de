#include "yona/train/run_start.h"

#include <algorithm>
#include <utility>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/data/batches.h"
#include "yona/train/run_folder.h"
#include "yona/train/speed.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

constexpr const char* kBegunBy = "begun_by";  // of a record: an older version

// Was the run begun by yona 0.1, which had everything decay?
bool is_of_0_1(const RunState& state) {
  return !state.same.is_null() || (state.record.is_object() && state.record.contains(kBegunBy));
}

// bf16 where the backend gains by it; elsewhere f32, said once.
TrainConfig with_usable_precision(TrainConfig train, const Backend& backend, Reporter& reporter) {
  if (train.precision == Precision::bf16 && !backend.has_bf16()) {
    reporter.message(MessageLevel::warning,
                     "this CPU has no bf16 instructions: products are computed in f32");
    train.precision = Precision::f32;
  }
  return train;
}

// What the configuration leaves to the run that is resumed.
TrainConfig with_run_values(TrainConfig train, const RunState& state) {
  const bool is_old = !state.same.is_null();  // read from yona 0.1
  if (train.batch_tokens == 0 && is_old) {
    train.batch_tokens = state.same.value("train.batch_tokens", std::int64_t{0});
  } else if (train.batch_tokens == 0 && !state.record.is_null()) {
    train.batch_tokens = recorded_batch_tokens(state.record);
  }
  if (is_of_0_1(state)) {
    train.weight_decay_on = DecayOn::all;
  }
  return train;
}

}  // namespace

RunStart::RunStart(TrainConfig train, const MakeTask& make_task, const TrainerOptions& options,
                   Reporters& reporter)
    : options_(options),
      reporter_(reporter),
      team_(options.ranks),
      first_(wait_for_first(train)),
      lock_(lock()),
      backend_(
          make_backend(options.device, {.threads = options.threads, .measure = train.measure})),
      checkpoint_(find_checkpoint()),
      state_(checkpoint_ ? load_state(checkpoint_->path) : RunState{}),
      train_(first_ ? first_->train
                    : with_run_values(with_usable_precision(std::move(train), *backend_, reporter),
                                      state_)),
      init_(find_init()),
      task_(make(make_task)) {
  choose();
  record_ = task_->record(train_);
  record_["init"] = state_.record.is_null() ? Json("") : state_.record.value("init", Json(""));
  if (!init_.empty()) {
    record_["init"] = std::filesystem::absolute(init_).string();
  }
  if (is_of_0_1(state_)) {
    record_[kBegunBy] = "0.1";
  }
  record_["platform"] = recorded_platform(*backend_);
  if (checkpoint_ && team_.leads()) {
    accept(differences());
  }
  if (team_.leads() && (!checkpoint_ || options_.allow_changes)) {
    task_->begin();  // which may have been refused until here
  }
  check_memory(planned(), train_.batch_tokens, memory_bytes());
}

std::optional<RankStart> RunStart::wait_for_first(const TrainConfig& train) const {
  if (team_.ranks() == nullptr) {
    return std::nullopt;
  }
  Json asked = json_of(train);
  asked["version"] = YONA_VERSION;
  asked["--device"] = options_.device;
  asked["--resume"] = options_.resume;
  asked["--allow-changes"] = options_.allow_changes;
  team_.check_same(asked);
  check(train.accumulate >= team_.size(),
        "train.accumulate: {} micro-batches of an update cannot be shared by {} ranks; give {} or "
        "more, or leave it out",
        train.accumulate, team_.size(), team_.size());
  if (team_.leads()) {
    return std::nullopt;
  }
  const RankStart first = RankStart::from_text(team_.from_leader(""));
  check(std::filesystem::exists(begun_folder(options_.output)),
        "{}: this rank does not see what rank 0 has written there: the output folder must be one "
        "that "
        "all ranks share",
        options_.output.string());
  return first;
}

std::optional<RunLock> RunStart::lock() const {
  if (!team_.leads()) {
    return std::nullopt;
  }
  prepare_folder(options_.output, options_.resume);
  return std::optional<RunLock>(std::in_place, options_.output);
}

std::optional<Checkpoint> RunStart::find_checkpoint() const {
  if (first_) {
    return first_->checkpoint ? std::optional(checkpoint_at(options_.output, *first_->checkpoint))
                              : std::nullopt;
  }
  clean_run(options_.output);
  return options_.resume ? latest_checkpoint(options_.output) : std::nullopt;
}

// What was left open.
void RunStart::choose() {
  if (first_) {
    state_.position = first_->position;
    if (first_->passes) {
      task_->regularise(*first_->passes);
    }
    return;
  }
  if (train_.batch_tokens == 0) {
    train_.batch_tokens = largest_batch(planned(), memory_bytes());
  }
  const bool is_planned_again = options_.allow_changes && options_.open.contains("train.updates");
  if (!options_.open.empty() && (!checkpoint_ || is_planned_again)) {
    plan();
  }
}

void RunStart::let_ranks_begin(const Parameters& parameters) {
  if (team_.ranks() == nullptr || !team_.leads()) {
    return;
  }
  const std::filesystem::path begun = begun_folder(options_.output);
  std::error_code error;
  std::filesystem::remove_all(begun, error);
  std::filesystem::create_directories(begun, error);
  check<IoError>(!error, "{}: cannot make the folder: {}", begun.string(), error.message());
  if (!checkpoint_) {
    task_->write_checkpoint(begun, parameters);
  }
  RankStart start{.train = train_, .init = init_, .position = state_.position, .record = record_};
  if (checkpoint_) {
    start.checkpoint = checkpoint_->step;
  }
  if (is_planned_) {
    start.passes = time_.passes;
  }
  team_.from_leader(start.to_text());
}

void RunStart::join_ranks() {
  team_.check_none(first_ ? differences_between(first_->record, record_, *task_, *examples()) : "");
  if (team_.ranks() != nullptr && team_.leads()) {
    std::error_code error;
    std::filesystem::remove_all(begun_folder(options_.output), error);
  }
}

std::filesystem::path RunStart::init() const {
  return first_ ? begun_folder(options_.output) : init_;
}

std::int64_t RunStart::memory_bytes() const {
  return backend_->on_host() ? backend_->memory_bytes() / options_.ranks_on_machine
                             : backend_->memory_bytes();
}

void RunStart::plan() {
  constexpr double kMeasured = 5;  // seconds, or a twentieth of those that there are
  TimeFacts facts;
  if (options_.open.contains("train.updates")) {
    const auto limit = static_cast<double>(train_.seconds);
    TrainConfig share = train_;  // of one rank
    share.accumulate = (train_.accumulate + team_.size() - 1) / team_.size();
    const Speed speed =
        measure_speed(*task_, examples(), share, *backend_,
                      limit > 0 ? std::min(kMeasured, limit / 20) : kMeasured, options_.clock);
    facts = {.seconds_per_update = speed.seconds_per_update,
             .updates_per_pass = speed.updates_per_pass * static_cast<double>(share.accumulate) /
                                 static_cast<double>(train_.accumulate),
             .passes = task_->passes(*examples()),
             .done = state_.update};
    if (limit > 0) {
      facts.seconds_left = seconds_for_updates(train_.seconds, options_.clock() - began_);
    }
  } else {
    facts.updates_per_pass =
        static_cast<double>(
            BatchPlan::shuffled(*examples(), train_.batch_tokens, train_.seed, 0).batches()) /
        static_cast<double>(train_.accumulate);
  }
  time_ = plan_time(train_, options_.open, facts);
  train_ = time_.train;
  is_planned_ = true;
  task_->regularise(time_.passes);
  report_plan();
}

void RunStart::report_plan() {
  const ScheduleConfig& schedule = train_.schedule;
  reporter_.message(
      MessageLevel::info,
      fmt::format("planned: {} updates of {} tokens, {} schedule with {} {:.3g}, warm-up {}, ema "
                  "{}; config.yaml has all settings",
                  grouped(train_.updates), grouped(train_.batch_tokens * train_.accumulate),
                  enum_name(schedule.kind),
                  schedule.kind == ScheduleKind::paper ? "factor" : "rate", schedule.rate,
                  grouped(schedule.warmup), train_.ema));
}

const std::shared_ptr<const Examples>& RunStart::examples() {
  if (!examples_) {
    examples_ = task_->open_training();
  }
  return examples_;
}

std::filesystem::path RunStart::find_init() {
  if (first_) {
    return first_->init;
  }
  return checkpoint_ ? options_.init : init_of(options_.output, options_.init, options_.resume);
}

std::unique_ptr<Task> RunStart::make(const MakeTask& make_task) {
  // Other ranks read the model of a new run as a resumed run does.
  const std::optional<Checkpoint> begun =
      first_ && !checkpoint_ ? std::optional(Checkpoint{0, begun_folder(options_.output)})
                             : checkpoint_;
  return make_task(train_, {.output = options_.output,
                            .init = init_,
                            .checkpoint = begun,
                            .samples = options_.samples,
                            .backend = *backend_,
                            .reporter = reporter_});
}

PlannedRun RunStart::planned() const {
  return {.make_objective = [task = task_.get()] { return task->make_objective(); },
          .precision = train_.precision,
          .average = train_.ema > 0 || options_.open.contains("train.ema"),
          .recompute = train_.recompute,
          .accumulates = train_.accumulate > 1 || train_.exchange == Precision::bf16,
          .device = backend_->device()};
}

Differences RunStart::differences() {
  if (state_.record.is_null()) {
    reporter_.message(MessageLevel::warning,
                      "the run was begun by yona 0.1, which recorded neither all settings nor the "
                      "data: that they are the same is not checked");
    return task_->differences(state_, record_);
  }
  for (const std::string& warning :
       platform_warnings(state_.record.value("platform", Json::object()), record_["platform"])) {
    reporter_.message(MessageLevel::warning, warning);
  }
  Differences found = task_->differences(state_, record_);
  found += init_that_differs(state_.record, record_);
  return found;
}

void RunStart::accept(const Differences& found) {
  check_differences(found, options_.allow_changes ? AllowChanges::yes : AllowChanges::no,
                    checkpoint_->path);
  has_changes_ = has_changes_ || !found.changes.empty();
  for (const std::string& change : found.changes) {
    reporter_.message(MessageLevel::warning, fmt::format("changed: {}", change));
    state_.changes.push_back(fmt::format("update {}: {}", state_.update, change));
  }
}

void RunStart::add_examples(const Examples& examples) {
  add_digests(record_["corpora"], examples);
  if (!first_ && !has_changes_ &&
      state_.record.contains("corpora")) {  // else there is a reason for others
    accept(examples_that_differ(state_.record.at("corpora"), record_["corpora"], examples.parts()));
  }
}

}  // namespace yona
