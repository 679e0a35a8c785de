#include "yona/serve/batcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "yona/base/error.h"

namespace yona::serve {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kAnyWork = std::numeric_limits<std::int64_t>::max();

std::int64_t tokens_of(const Job& job) {
  return std::accumulate(job.tokens.begin(), job.tokens.end(), std::int64_t{0});
}

std::exception_ptr late_error() {
  return std::make_exception_ptr(
      HttpError(504,
                "the answer was not ready within the request's deadline; send less at once, "
                "or try again later",
                1));
}

std::exception_ptr gone_error() {
  return std::make_exception_ptr(HttpError(499, "client closed the connection"));
}

}  // namespace

Batcher::Batcher(const BatcherOptions& options, Run run, Idle idle)
    : options_(options),
      run_(std::move(run)),
      idle_(std::move(idle)),
      thread_([this] { work(); }) {}

Batcher::~Batcher() { close(); }

std::exception_ptr Batcher::overloaded_error(double seconds) const {
  const int retry = static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0));
  return std::make_exception_ptr(
      HttpError(503, fmt::format("the server is overloaded; try again in {} s", retry), retry));
}

void Batcher::submit(const std::shared_ptr<Job>& job) {
  const std::int64_t tokens = tokens_of(*job);
  const std::int64_t work = job->total_work();
  const std::scoped_lock lock(mutex_);
  if (is_closing_) {
    throw HttpError(503, "the server is stopping", 1);
  }
  const std::int64_t size = job->compared_work();
  const double seconds = foreseen_seconds(job.get());
  const bool has_room =
      figures_.waiting_jobs == 0 || figures_.waiting_tokens + tokens <= options_.queue_tokens;
  if (!has_room || seconds > options_.longest_wait.count()) {
    ++figures_.refused;
    std::rethrow_exception(overloaded_error(seconds));
  }
  std::vector<std::size_t> all(job->tokens.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Clock::time_point now = Clock::now();
  groups_[job->group].push_back({job, std::move(all), tokens, work, size, now, now});
  smallest_ = std::min(smallest_, size);
  ++figures_.waiting_jobs;
  figures_.waiting_tokens += tokens;
  update_full();
  changed_.notify_one();
}

void Batcher::again(const Unit& unit) {
  const std::scoped_lock lock(mutex_);
  const Job& job = *unit.job;
  const std::int64_t tokens = job.tokens[unit.sentence];
  groups_[job.group].push_front({.job = unit.job,
                                 .left = {unit.sentence},
                                 .tokens = tokens,
                                 .work = job.work_of(unit.sentence),
                                 .size = job.compared_work(),
                                 .since = Clock::time_point::min(),
                                 .served = Clock::time_point::min(),
                                 .is_begun = true});
  smallest_ = std::min(smallest_, job.compared_work());
  ++figures_.waiting_jobs;
  figures_.waiting_tokens += tokens;
  update_full();
}

void Batcher::loads() {
  const std::scoped_lock lock(mutex_);
  running_.back().has_loaded = true;
  steps_.pause();
  update_full();
}

void Batcher::counted(std::int64_t work) {
  const std::scoped_lock lock(mutex_);
  running_.back().largest = std::max(running_.back().largest, work);
}

std::size_t Batcher::depth() const {
  const std::scoped_lock lock(mutex_);
  return running_.size();
}

void Batcher::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closing_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

BatcherFigures Batcher::figures() const {
  const std::scoped_lock lock(mutex_);
  BatcherFigures figures = figures_;
  figures.steps = steps_.steps();
  figures.long_steps = steps_.long_steps();
  figures.longest_step = steps_.longest();
  return figures;
}

// The one with the job, of at most so much work, that has waited longest since it came or was last
// served; the end where there is none.
Batcher::Groups::iterator Batcher::next_group(std::int64_t most_work) {
  auto found = groups_.end();
  Clock::time_point earliest{};
  for (auto at = groups_.begin(); at != groups_.end(); ++at) {
    const auto waiting = longest_unserved(at->second, most_work);
    if (waiting != at->second.end() && (found == groups_.end() || waiting->served < earliest)) {
      found = at;
      earliest = waiting->served;
    }
  }
  return found;
}

std::int64_t Batcher::smallest_waiting() const {
  std::int64_t smallest = kAnyWork;
  for (const auto& [name, group] : groups_) {
    for (const WaitingJob& waiting : group) {
      smallest = std::min(smallest, waiting.size);
    }
  }
  return smallest;
}

bool Batcher::is_worth_waiting(const WaitingGroup& group) const {
  std::int64_t tokens = 0;
  for (const WaitingJob& waiting : group) {
    tokens += waiting.tokens;
    if (tokens >= options_.batch_tokens) {
      return false;
    }
  }
  return !is_closing_ && Clock::now() < group.front().since + options_.window;
}

bool Batcher::is_loading() const {
  return std::any_of(running_.begin(), running_.end(),
                     [](const Running& running) { return running.has_loaded; });
}

bool Batcher::has_waited_too_long(const WaitingJob& waiting, Clock::time_point now) const {
  return !waiting.is_begun && !is_closing_ && !is_loading() &&
         std::chrono::duration<double>(now - waiting.since) > options_.longest_wait;
}

// Removes jobs whose clients have left, that are past their deadline, that have waited too long to
// start, or that have failed.
void Batcher::remove_ended(WaitingGroup& group, Next& next) {
  const Clock::time_point now = Clock::now();
  std::erase_if(group, [&](const WaitingJob& waiting) {
    const Job& job = *waiting.job;
    const bool has_failed = job.has_failed();
    const bool is_gone = job.is_gone();
    const bool is_late = now > job.deadline;
    if (!has_failed && !is_gone && !is_late && !has_waited_too_long(waiting, now)) {
      return false;
    }
    --figures_.waiting_jobs;
    figures_.waiting_tokens -= waiting.tokens;
    if (has_failed) {  // its error is reported already
      return true;
    }
    ++(is_gone ? figures_.gone : is_late ? figures_.late : figures_.refused);
    next.ended.emplace_back(waiting.job, is_gone   ? gone_error()
                                         : is_late ? late_error()
                                                   : overloaded_error(foreseen_seconds(nullptr)));
    return true;
  });
}

// A batch of jobs of at most so much work, which is running from now on.
std::vector<Unit> Batcher::take(WaitingGroup& group, std::int64_t most_work) {
  constexpr std::size_t kTaken = std::numeric_limits<std::size_t>::max();
  std::vector<Unit> batch;
  Running running{.taken = Clock::now(), .thread = std::this_thread::get_id()};
  for (const BatchCandidate& candidate :
       chosen_batch(group, most_work, {options_.batch_tokens, options_.batch_work})) {
    WaitingJob& waiting = *candidate.waiting;
    const std::size_t sentence = std::exchange(waiting.left[candidate.place], kTaken);
    const std::int64_t its_work = waiting.job->work_of(sentence);
    batch.push_back({waiting.job, sentence});
    waiting.tokens -= candidate.tokens;
    waiting.work -= its_work;
    waiting.served = running.taken;
    waiting.is_begun = true;
    running.tokens += candidate.tokens;
    running.work += its_work;
    running.largest = std::max(running.largest, waiting.size);
  }
  for (WaitingJob& waiting : group) {
    if (waiting.served == running.taken) {
      std::erase(waiting.left, kTaken);
    }
  }
  figures_.waiting_tokens -= running.tokens;
  figures_.waiting_jobs -= static_cast<std::int64_t>(
      std::erase_if(group, [](const WaitingJob& waiting) { return waiting.left.empty(); }));
  running_.push_back(running);
  return batch;
}

// How long a job, a small one if null, would wait for others. It preempts batches of jobs that are
// much larger. Of those that wait no more comes first than is asked for here, because all are
// served in turn: a document does not shut out small requests.
double Batcher::foreseen_seconds(const Job* job) const {
  if (work_per_second_ <= 0 || is_loading()) {
    return 0;
  }
  const auto at_least_small = [&](std::int64_t work) {
    return std::max(work, options_.small_work);
  };
  const std::int64_t size = at_least_small(job == nullptr ? 0 : job->compared_work());
  const std::int64_t most = at_least_small(job == nullptr ? 0 : job->total_work());
  double before = 0;
  for (const Running& running : running_) {
    if (!preempts(size, running.largest)) {
      constexpr double kLeast = 0.1;  // is left of a batch as long as it runs
      const double all = static_cast<double>(running.work);
      const double done =
          (seconds_since(running.taken) - running.nested_seconds) * work_per_second_;
      before += std::max(all - done, kLeast * all);
    }
  }
  for (const auto& [name, group] : groups_) {
    for (const WaitingJob& waiting : group) {
      before += static_cast<double>(std::min(waiting.work, most));
    }
  }
  return before / work_per_second_;
}

void Batcher::update_full() {
  has_waiting_ = !groups_.empty();
  is_full_ =
      figures_.waiting_jobs > 0 && (figures_.waiting_tokens >= options_.queue_tokens ||
                                    foreseen_seconds(nullptr) > options_.longest_wait.count());
}

// The speed of full batches is what a queue is worked off with: a batch of one sentence is slower,
// and says little about it. A batch that had a model to load, or failed, says nothing.
void Batcher::measured(const Running& running, double seconds) {
  if (running.has_loaded) {
    return;
  }
  const double speed = static_cast<double>(running.work) / std::max(seconds, 1e-6);
  const bool is_full = running.tokens >= options_.batch_tokens / 2 ||
                       (options_.batch_work > 0 && running.work >= options_.batch_work / 2);
  if (speed > work_per_second_) {
    work_per_second_ = speed;
  } else if (is_full) {
    constexpr double kShare = 0.1;
    work_per_second_ += kShare * (speed - work_per_second_);
  }
}

// The next batch, or jobs that have ended without one; nothing: there is none yet, look again.
Batcher::Next Batcher::next(std::unique_lock<std::mutex>& lock) {
  const auto group = next_group(kAnyWork);
  if (is_worth_waiting(group->second)) {
    changed_.wait_until(lock, group->second.front().since + options_.window);
    return {};
  }
  Next found;
  remove_ended(group->second, found);
  if (!group->second.empty()) {
    found.batch = take(group->second, kAnyWork);
  }
  if (group->second.empty()) {
    groups_.erase(group);
  }
  update_full();
  return found;
}

// A batch of jobs that are much smaller than those of the running batch, if there are any, and the
// jobs that have ended without a batch.
Batcher::Next Batcher::urgent() {
  Next found;
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  constexpr milliseconds kBetweenLooks{20};
  if (now > looked_ + kBetweenLooks) {
    looked_ = now;
    for (auto& [name, group] : groups_) {
      remove_ended(group, found);
    }
    std::erase_if(groups_, [](const auto& entry) { return entry.second.empty(); });
    update_full();
  }
  const Running& running = running_.back();
  const bool is_ours = running_.size() == 1 || running.thread == std::this_thread::get_id();
  if (!is_ours || running_.size() == kMostDepth || now < running.undisturbed) {
    return found;
  }
  const std::int64_t most_work = running.largest / kMuchSmaller;
  if (smallest_ > most_work) {
    return found;
  }
  const auto group = next_group(most_work);
  if (group == groups_.end()) {
    smallest_ = smallest_waiting();  // not to look again before another comes
    return found;
  }
  if (is_worth_waiting(group->second)) {
    return found;
  }
  found.batch = take(group->second, most_work);
  ++figures_.preemptions;
  if (group->second.empty()) {
    groups_.erase(group);
  }
  update_full();
  return found;
}

void Batcher::preempt(const Run& run_small) {
  steps_.point();
  if (has_waiting_.load(std::memory_order_relaxed)) {
    const Next found = urgent();
    compute(found, run_small);
    if (!found.batch.empty()) {
      steps_.begin();
    }
  }
}

void Batcher::compute(const Next& next, const Run& run) {
  for (const auto& [job, error] : next.ended) {
    job->fail(error);
  }
  if (!next.batch.empty()) {
    steps_.begin();
    run(next.batch);
    steps_.point();
    const bool has_failed = std::any_of(next.batch.begin(), next.batch.end(),
                                        [](const Unit& unit) { return unit.job->has_failed(); });
    ended_running(next.batch.size(), has_failed);
  }
}

// The last batch that was begun has ended. The one that it preempted, if any, continues for a
// while: as long as it was held up, but not so long that short requests would notice.
void Batcher::ended_running(std::size_t sentences, bool has_failed) {
  constexpr Clock::duration kLongest = milliseconds(30);
  const std::scoped_lock lock(mutex_);
  const Running ended = running_.back();
  running_.pop_back();
  const Clock::time_point now = Clock::now();
  const double whole = seconds_since(ended.taken);
  const double seconds = whole - ended.nested_seconds;
  if (!running_.empty()) {
    running_.back().nested_seconds += whole;
    running_.back().undisturbed = now + std::min(now - ended.taken, kLongest);
  }
  ++figures_.batches;
  figures_.sentences += sentences;
  figures_.tokens += static_cast<std::uint64_t>(ended.tokens);
  figures_.busy_seconds += seconds;
  if (!has_failed) {
    measured(ended, seconds);
  }
  for (auto& [name, group] : groups_) {
    for (WaitingJob& waiting : group) {
      if (waiting.served == ended.taken) {
        waiting.served = now;  // those of the batch that have more were served until now
      }
      if (ended.has_loaded && !waiting.is_begun) {
        waiting.since = now;  // the time of loading does not count
      }
    }
  }
  update_full();
}

void Batcher::work() {
  constexpr std::chrono::seconds kIdle{1};
  std::unique_lock lock(mutex_);
  const auto has_news = [&] { return is_closing_ || !groups_.empty(); };
  bool has_computed = false;
  while (true) {
    if (has_computed && idle_ && !changed_.wait_for(lock, kIdle, has_news)) {
      has_computed = false;
      lock.unlock();
      idle_();
      lock.lock();
    }
    changed_.wait(lock, has_news);
    if (groups_.empty()) {
      return;
    }
    {
      const Next found = next(lock);
      has_computed = has_computed || !found.batch.empty();
      lock.unlock();
      compute(found, run_);
    }  // what is answered is released before the wait for more work
    lock.lock();
  }
}

}  // namespace yona::serve
