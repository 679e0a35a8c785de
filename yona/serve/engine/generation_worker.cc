#include "yona/serve/engine/generation_worker.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "yona/base/error.h"

namespace yona::serve {

namespace {

std::exception_ptr overload(double seconds) {
  const int retry = static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0));
  return std::make_exception_ptr(
      HttpError(503, fmt::format("the server is overloaded; try again in {} s", retry), retry));
}

std::int64_t answers_of(const GenerationJob& job) {
  return static_cast<std::int64_t>(job.prompt_count()) * job.options.answers;
}

// The mean of many, of which later ones count more.
void average(double& mean, double value) {
  constexpr double kShare = 0.1;
  mean = mean == 0 ? value : mean + kShare * (value - mean);
}

}  // namespace

GenerationFigures& GenerationFigures::operator+=(const GenerationFigures& other) {
  waiting_requests += other.waiting_requests;
  waiting_tokens += other.waiting_tokens;
  requests += other.requests;
  answers += other.answers;
  prompt_tokens += other.prompt_tokens;
  reused_tokens += other.reused_tokens;
  tokens += other.tokens;
  steps += other.steps;
  refused += other.refused;
  late += other.late;
  gone += other.gone;
  busy_seconds += other.busy_seconds;
  return *this;
}

GenerationWorker::GenerationWorker(const ServedFolder& place, const ServedLoading& loading,
                                   const GenerationLimits& limits)
    : limits_(limits), model_(place, loading, limits), summary_(summary_of(place)) {
  thread_ = std::thread([this] { work(); });
}

GenerationWorker::~GenerationWorker() { close(); }

void GenerationWorker::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closing_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

GeneratorSummary GenerationWorker::summary() const {
  const std::scoped_lock lock(mutex_);
  return summary_;
}

GenerationFigures GenerationWorker::figures() const {
  const std::scoped_lock lock(mutex_);
  return figures_;
}

// --- the queue ------------------------------------------------------------------------------

void GenerationWorker::submit(std::shared_ptr<GenerationJob> job) {
  auto task = std::make_shared<Task>();
  task->answers_left = answers_of(*job);
  task->tokens = rough_prompt_tokens(*job);
  const std::int64_t work = task->tokens + foreseen_new_tokens(*job, summary(), limits_);
  if (work > limits_.work) {
    throw HttpError(413, fmt::format("the request may take {} tokens (those of its prompts, and "
                                     "new ones of all answers); {} are allowed at most; send fewer "
                                     "prompts, or ask for a smaller \"n\" or \"max_tokens\"",
                                     work, limits_.work));
  }
  task->is_small = work <= limits_.small_work;
  const std::scoped_lock lock(mutex_);
  if (is_closing_) {
    throw HttpError(503, "the server is stopping", 1);
  }
  const double seconds = foreseen_seconds(task->answers_left, task->is_small);
  const bool has_room = figures_.waiting_requests == 0 ||
                        figures_.waiting_tokens + task->tokens <= limits_.queue_tokens;
  if (!has_room || seconds > limits_.longest_wait.count()) {
    ++figures_.refused;
    std::rethrow_exception(overload(seconds));
  }
  task->since = Clock::now();
  task->client = &turns_.arrive(job->client);
  queue(*task, task->answers_left);
  task->job = std::move(job);
  ++figures_.waiting_requests;
  figures_.waiting_tokens += task->tokens;
  tasks_.push_back(std::move(task));
  update_full();
  changed_.notify_one();
}

// How long a request of so many answers would wait, by the length of the answers so far.
double GenerationWorker::foreseen_seconds(std::int64_t answers, bool is_small) const {
  if (is_loading_) {
    return 0;
  }
  const std::int64_t places =
      is_small && limits_.small_answers > 0 ? limits_.small_answers : limits_.answers;
  return static_cast<double>(turns_.answers_before(answers, is_small)) *
         answer_tokens_[is_small ? 1 : 0] * step_seconds_ / static_cast<double>(places);
}

void GenerationWorker::queue(const Task& task, std::int64_t answers) {
  task.client->waiting_answers += answers;
  task.client->waiting_small += task.is_small ? answers : 0;
}

void GenerationWorker::update_full() {
  is_full_ =
      figures_.waiting_requests > 0 && (figures_.waiting_tokens >= limits_.queue_tokens ||
                                        foreseen_seconds(1, true) > limits_.longest_wait.count());
}

// None of its prompts wait any more.
void GenerationWorker::unqueue(const Task& task) {
  --figures_.waiting_requests;
  figures_.waiting_tokens -= task.tokens;
  update_full();
}

// Why a task must end; null: it goes on.
std::exception_ptr GenerationWorker::ending_of(const Task& task, Clock::time_point now) {
  if (task.job->is_gone()) {
    ++figures_.gone;
    return std::make_exception_ptr(HttpError(499, "client closed the connection"));
  }
  if (now > task.job->deadline) {
    ++figures_.late;
    return std::make_exception_ptr(HttpError(
        504,
        "the answer was not ready within the request's deadline; ask for a smaller \"max_tokens\", "
        "or try again later",
        1));
  }
  const std::chrono::duration<double> waited = now - std::max(task.since, loaded_at_);
  if (!task.has_joined && !is_closing_ && waited > limits_.longest_wait) {
    ++figures_.refused;
    return overload(foreseen_seconds(1, task.is_small));
  }
  return nullptr;
}

void GenerationWorker::drop_ended() {
  Ended ended;
  {
    const std::scoped_lock lock(mutex_);
    const Clock::time_point now = Clock::now();
    for (const TaskPtr& task : tasks_) {
      if (std::exception_ptr error = ending_of(*task, now)) {
        ended.emplace_back(task, std::move(error));
      }
    }
  }
  for (const auto& [task, error] : ended) {
    fail(task, error);
  }
}

// --- the model ------------------------------------------------------------------------------

void GenerationWorker::load() {
  {
    const std::scoped_lock lock(mutex_);
    is_loading_ = true;
  }
  std::optional<GeneratorSummary> summary;
  std::exception_ptr error;
  try {
    summary = model_.load();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::scoped_lock lock(mutex_);
    is_loading_ = false;
    loaded_at_ = Clock::now();
    if (summary) {
      summary_ = std::move(*summary);
    }
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

// A changed folder is loaded once the answers of the model that was there have ended.
bool GenerationWorker::is_ready() {
  if (!model_.is_stale()) {
    return true;
  }
  if (!running_.empty()) {
    return false;
  }
  load();
  return true;
}

// --- a round ---------------------------------------------------------------------------------

void GenerationWorker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_closing_ || !tasks_.empty(); });
    if (tasks_.empty()) {
      return;
    }
    lock.unlock();
    try {
      round();
    } catch (...) {  // no model, or no memory
      fail_all(std::current_exception());
    }
    lock.lock();
  }
}

void GenerationWorker::round() {
  drop_ended();
  if (!is_idle()) {
    if (is_ready()) {
      join();
    }
    step();
  }
  if (!model_.is_loaded()) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  figures_.answers = static_cast<std::int64_t>(model_->generator().under_way());
  figures_.reused_tokens = static_cast<std::uint64_t>(model_->generator().reused_tokens());
  update_full();
}

bool GenerationWorker::is_idle() const {
  const std::scoped_lock lock(mutex_);
  return tasks_.empty();
}

void GenerationWorker::fail_all(const std::exception_ptr& error) {
  std::list<TaskPtr> all;
  {
    const std::scoped_lock lock(mutex_);
    all = tasks_;
  }
  for (const TaskPtr& task : all) {
    fail(task, error);
  }
}

// The prompt of the client that was given the fewest tokens; of its requests, of the one with the
// fewest prompts begun; the oldest of these.
GenerationWorker::TaskPtr GenerationWorker::next_task(Sizes sizes) {
  const std::scoped_lock lock(mutex_);
  TaskPtr next;
  for (const TaskPtr& task : tasks_) {
    if (task->has_more() && (sizes == Sizes::all || task->is_small) &&
        (!next || std::pair(task->client->served, task->begun) <
                      std::pair(next->client->served, next->begun))) {
      next = task;
    }
  }
  return next;
}

// One that has no room yet is waited for, whatever comes after it: large requests are not passed
// over for ever. Small ones join meanwhile, in the room that is theirs alone.
void GenerationWorker::join() {
  while (model_->generator().waiting() == 0) {
    TaskPtr task = next_task(Sizes::all);
    if (!task) {
      return;
    }
    if (!prepare(task)) {
      continue;
    }
    if (!has_room_for(*task)) {
      task = next_task(Sizes::small);
      if (!task || !prepare(task) || !has_room_for(*task)) {
        return;
      }
    }
    begin(task);
  }
}

void GenerationWorker::look(const GenerationJob& job) const {
  if (job.look) {
    job.look(model_->look(job.prompts.front()));
  } else {
    job.explain(model_->explanation(job.prompts.front(), job.step));
  }
}

bool GenerationWorker::prepare(const TaskPtr& task) {
  try {
    if (task->job->is_look()) {
      look(*task->job);
      finish(task);
      return false;
    }
    if (task->requests.empty()) {
      task->requests = model_->requests_of(*task->job);
    }
    return true;
  } catch (...) {
    fail(task, std::current_exception());
    return false;
  }
}

// What small requests use counts for them alone, so that they do not hold up others. Where there is
// no room for both, the generator lets the request join that was the first to come.
bool GenerationWorker::has_room_for(const Task& task) const {
  std::int64_t answers = task.job->options.answers;
  std::int64_t tokens = cache_tokens(task.requests[task.begun]);
  for (const auto& [id, running] : running_) {
    if (task.is_small || !running.task->is_small) {
      answers += running.answers_left;
      tokens += running.cache_tokens;
    }
  }
  return task.is_small ? answers <= limits_.answers + limits_.small_answers &&
                             tokens <= model_->generator().cache_tokens()
                       : answers <= limits_.answers && tokens <= model_->large_share();
}

void GenerationWorker::begin(const TaskPtr& task) {
  Generator& generator = model_->generator();
  const std::size_t prompt = task->begun;
  const std::int64_t answers = task->job->options.answers;
  try {
    GenerateRequest& request = task->requests[prompt];
    const auto tokens = static_cast<std::int64_t>(request.prompt.size());
    const std::int64_t room = cache_tokens(request);
    const RequestId id = generator.add(std::move(request));
    running_[id] = {task, prompt, room,
                    std::vector<std::int64_t>(static_cast<std::size_t>(answers), 0), answers};
    task->usage.prompt_tokens += tokens;
    const std::scoped_lock lock(mutex_);
    task->begun = prompt + 1;
    task->client->served += tokens;
    queue(*task, -answers);
    figures_.prompt_tokens += static_cast<std::uint64_t>(tokens);
    if (!task->has_more()) {
      unqueue(*task);
    }
  } catch (...) {
    fail(task, std::current_exception());
    return;
  }
  generator.join();
  blocked_ = task;
  note_joined();
}

void GenerationWorker::note_joined() {
  if (!blocked_ || model_->generator().waiting() > 0) {
    return;
  }
  const TaskPtr task = std::exchange(blocked_, nullptr);
  const std::scoped_lock lock(mutex_);
  figures_.requests += task->has_joined ? 0 : 1;
  task->has_joined = true;
}

void GenerationWorker::step() {
  Generator& generator = model_->generator();
  const Clock::time_point start = Clock::now();
  std::vector<GeneratedToken> tokens;
  try {
    tokens = generator.step();
  } catch (...) {  // those under way are lost; the others go on
    const std::exception_ptr error = std::current_exception();
    while (!running_.empty()) {
      const TaskPtr task = running_.begin()->second.task;
      fail(task, error);
    }
    return;
  }
  const double seconds = seconds_since(start);
  note_joined();
  {
    const std::scoped_lock lock(mutex_);
    figures_.steps += static_cast<std::uint64_t>(generator.passes());
    figures_.tokens += tokens.size();
    figures_.busy_seconds += seconds;
    if (!tokens.empty()) {
      average(step_seconds_, seconds / static_cast<double>(generator.passes()));
    }
    for (const GeneratedToken& token : tokens) {
      if (const auto found = running_.find(token.request); found != running_.end()) {
        ++found->second.task->client->served;
      }
    }
  }
  for (const GeneratedToken& token : tokens) {
    give(token);
  }
}

// --- answers --------------------------------------------------------------------------------

void GenerationWorker::give(const GeneratedToken& token) {
  const auto found = running_.find(token.request);
  if (found == running_.end()) {
    return;  // it has failed
  }
  Running& running = found->second;
  const TaskPtr task = running.task;
  if (!token.error.empty()) {
    fail(task, std::make_exception_ptr(InvalidArgument(token.error)));
    return;
  }
  GenerationPiece piece{.prompt = running.prompt, .answer = token.answer, .text = token.text};
  if (!token.is_end) {
    piece.token = model_->text_of(token.token, token.logprob);
    ++task->usage.completion_tokens;
    ++running.lengths[static_cast<std::size_t>(token.answer)];
  }
  for (const TokenLogprob& other : token.top) {
    piece.best.push_back(model_->text_of(other.token, other.logprob));
  }
  if (token.finish) {
    piece.finish = name_of(*token.finish);
    const std::scoped_lock lock(mutex_);
    average(answer_tokens_[task->is_small ? 1 : 0],
            static_cast<double>(running.lengths[static_cast<std::size_t>(token.answer)]) + 1);
  }
  try {
    task->job->grow(piece);
  } catch (...) {
    fail(task, std::current_exception());
    return;
  }
  if (token.finish) {
    if (--running.answers_left == 0) {
      running_.erase(found);
    }
    if (--task->answers_left == 0) {
      finish(task);
    }
  }
}

void GenerationWorker::forget(const TaskPtr& task) {
  std::erase_if(running_, [&](const auto& entry) {
    if (entry.second.task == task) {
      model_->generator().remove(entry.first);
    }
    return entry.second.task == task;
  });
  const std::scoped_lock lock(mutex_);
  if (std::erase(tasks_, task) == 0) {
    return;
  }
  if (task->has_more()) {
    const auto left = static_cast<std::int64_t>(task->job->prompt_count() - task->begun);
    queue(*task, -left * task->job->options.answers);
    unqueue(*task);
  }
  if (blocked_ == task) {
    blocked_.reset();
  }
  figures_.requests -= task->has_joined ? 1 : 0;
  figures_.answers =
      model_.is_loaded() ? static_cast<std::int64_t>(model_->generator().under_way()) : 0;
  turns_.leave(*task->client);
}

void GenerationWorker::fail(const TaskPtr& task, const std::exception_ptr& error) {
  forget(task);
  task->job->failed(error);
}

void GenerationWorker::finish(const TaskPtr& task) {
  forget(task);
  try {
    task->job->done(task->usage);
  } catch (...) {  // the answer could not be made; the client must hear of it
    task->job->failed(std::current_exception());
  }
}

}  // namespace yona::serve
