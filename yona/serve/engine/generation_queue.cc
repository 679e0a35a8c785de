#include "yona/serve/engine/generation_queue.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/serve/engine/loaded_generator.h"

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

// An exponential moving average.
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

GenerationFigures GenerationQueue::figures() const {
  const std::scoped_lock lock(mutex_);
  return figures_;
}

void GenerationQueue::submit(std::shared_ptr<GenerationJob> job, const GeneratorSummary& model) {
  auto task = std::make_shared<GenerationTask>();
  task->answers_left = answers_of(*job);
  task->tokens = rough_prompt_tokens(*job);
  const std::int64_t work = task->tokens + foreseen_new_tokens(*job, model, limits_);
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
  add_waiting(*task, task->answers_left);
  task->job = std::move(job);
  ++figures_.waiting_requests;
  figures_.waiting_tokens += task->tokens;
  tasks_.push_back(std::move(task));
  update_full();
  changed_.notify_one();
}

void GenerationQueue::close() {
  const std::scoped_lock lock(mutex_);
  is_closing_ = true;
  changed_.notify_one();
}

bool GenerationQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_closing_ || !tasks_.empty(); });
  return !tasks_.empty();
}

bool GenerationQueue::empty() const {
  const std::scoped_lock lock(mutex_);
  return tasks_.empty();
}

std::vector<GenerationTaskPtr> GenerationQueue::all() const {
  const std::scoped_lock lock(mutex_);
  return {tasks_.begin(), tasks_.end()};
}

// How long a request with that many answers would wait, if answers are as long as those so far.
double GenerationQueue::foreseen_seconds(std::int64_t answers, bool is_small) const {
  if (is_loading_) {
    return 0;
  }
  const std::int64_t places =
      is_small && limits_.small_answers > 0 ? limits_.small_answers : limits_.answers;
  return static_cast<double>(turns_.answers_before(answers, is_small)) *
         answer_tokens_[is_small ? 1 : 0] * step_seconds_ / static_cast<double>(places);
}

void GenerationQueue::add_waiting(const GenerationTask& task, std::int64_t answers) {
  task.client->waiting_answers += answers;
  task.client->waiting_small += task.is_small ? answers : 0;
}

void GenerationQueue::end_waiting(const GenerationTask& task) {
  --figures_.waiting_requests;
  figures_.waiting_tokens -= task.tokens;
  update_full();
}

void GenerationQueue::update_full() {
  is_full_ =
      figures_.waiting_requests > 0 && (figures_.waiting_tokens >= limits_.queue_tokens ||
                                        foreseen_seconds(1, true) > limits_.longest_wait.count());
}

// Why a task must end; null: it continues.
std::exception_ptr GenerationQueue::ending_of(const GenerationTask& task, Clock::time_point now) {
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

std::vector<std::pair<GenerationTaskPtr, std::exception_ptr>> GenerationQueue::find_ended() {
  std::vector<std::pair<GenerationTaskPtr, std::exception_ptr>> ended;
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (const GenerationTaskPtr& task : tasks_) {
    if (std::exception_ptr error = ending_of(*task, now)) {
      ended.emplace_back(task, std::move(error));
    }
  }
  return ended;
}

// The client with the fewest tokens so far comes first; of its requests, the one with the fewest
// prompts begun, and of these the oldest.
GenerationTaskPtr GenerationQueue::next(Sizes sizes) const {
  const std::scoped_lock lock(mutex_);
  GenerationTaskPtr best;
  for (const GenerationTaskPtr& task : tasks_) {
    if (task->has_more() && (sizes == Sizes::all || task->is_small) &&
        (!best || std::pair(task->client->served, task->begun) <
                      std::pair(best->client->served, best->begun))) {
      best = task;
    }
  }
  return best;
}

void GenerationQueue::begin_loading() {
  const std::scoped_lock lock(mutex_);
  is_loading_ = true;
}

void GenerationQueue::end_loading() {
  const std::scoped_lock lock(mutex_);
  is_loading_ = false;
  loaded_at_ = Clock::now();
}

void GenerationQueue::begin_prompt(GenerationTask& task, std::int64_t tokens) {
  const std::scoped_lock lock(mutex_);
  ++task.begun;
  task.client->served += tokens;
  add_waiting(task, -task.job->options.answers);
  figures_.prompt_tokens += static_cast<std::uint64_t>(tokens);
  if (!task.has_more()) {
    end_waiting(task);
  }
}

void GenerationQueue::note_joined(GenerationTask& task) {
  const std::scoped_lock lock(mutex_);
  figures_.requests += task.has_joined ? 0 : 1;
  task.has_joined = true;
}

void GenerationQueue::add_step(std::span<GenerationTask* const> tasks, std::int64_t passes,
                               double seconds) {
  const std::scoped_lock lock(mutex_);
  figures_.steps += static_cast<std::uint64_t>(passes);
  figures_.tokens += tasks.size();
  figures_.busy_seconds += seconds;
  if (!tasks.empty()) {
    average(step_seconds_, seconds / static_cast<double>(passes));
  }
  for (GenerationTask* const task : tasks) {
    ++task->client->served;
  }
}

void GenerationQueue::add_answer(const GenerationTask& task, std::int64_t tokens) {
  const std::scoped_lock lock(mutex_);
  average(answer_tokens_[task.is_small ? 1 : 0], static_cast<double>(tokens));
}

void GenerationQueue::set_under_way(std::int64_t answers, std::int64_t reused_tokens) {
  const std::scoped_lock lock(mutex_);
  figures_.answers = answers;
  figures_.reused_tokens = static_cast<std::uint64_t>(reused_tokens);
  update_full();
}

void GenerationQueue::remove(const GenerationTaskPtr& task) {
  const std::scoped_lock lock(mutex_);
  if (std::erase(tasks_, task) == 0) {
    return;
  }
  if (task->has_more()) {
    const auto left = static_cast<std::int64_t>(task->job->prompt_count() - task->begun);
    add_waiting(*task, -left * task->job->options.answers);
    end_waiting(*task);
  }
  figures_.requests -= task->has_joined ? 1 : 0;
  turns_.leave(*task->client);
}

}  // namespace yona::serve
