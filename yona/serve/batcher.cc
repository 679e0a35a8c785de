#include "yona/serve/batcher.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"

namespace yona::serve {

namespace {

std::int64_t tokens_of(const Job& job, std::size_t first = 0) {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < job.tokens.size(); ++i) {
    sum += job.tokens[i];
  }
  return sum;
}

std::exception_ptr late_error() {
  return std::make_exception_ptr(
      HttpError(504,
                "the answer was not ready within the request's deadline; send less at once, "
                "or try again later",
                1));
}

}  // namespace

Batcher::Batcher(const BatcherOptions& options, Run run)
    : options_(options), run_(std::move(run)), thread_([this] { work(); }) {}

Batcher::~Batcher() { close(); }

void Batcher::submit(const std::shared_ptr<Job>& job) {
  const std::int64_t tokens = tokens_of(*job);
  const std::scoped_lock lock(mutex_);
  if (is_closing_) {
    throw HttpError(503, "the server is stopping", 1);
  }
  const double seconds = foreseen_seconds(0);
  const bool has_room = figures_.waiting_tokens + tokens <= options_.queue_tokens &&
                        seconds <= options_.longest_wait.count();
  if (!has_room && figures_.waiting_jobs > 0) {
    ++figures_.refused;
    throw HttpError(503, "the server has more to do than it can; try again later",
                    static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0)));
  }
  groups_[job->group].push_back({job, 0, Clock::now()});
  ++figures_.waiting_jobs;
  figures_.waiting_tokens += tokens;
  update_full();
  changed_.notify_one();
}

void Batcher::again(const Unit& unit) {
  const std::scoped_lock lock(mutex_);
  first_.push_back(unit);
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
  return figures_;
}

std::map<std::string, Batcher::Group>::iterator Batcher::oldest_group() {
  return std::min_element(groups_.begin(), groups_.end(), [](const auto& a, const auto& b) {
    return a.second.front().since < b.second.front().since;
  });
}

bool Batcher::is_worth_waiting(const Group& group) const {
  std::int64_t tokens = 0;
  for (const Waiting& waiting : group) {
    tokens += tokens_of(*waiting.job, waiting.next);
    if (tokens >= options_.batch_tokens) {
      return false;
    }
  }
  return !is_closing_ && Clock::now() < group.front().since + options_.window;
}

// Takes those out that nobody waits for any more, or that are too late.
std::vector<std::shared_ptr<Job>> Batcher::remove_ended(Group& group) {
  std::vector<std::shared_ptr<Job>> ended;
  std::erase_if(group, [&](const Waiting& waiting) {
    const Job& job = *waiting.job;
    const bool is_gone = job.is_gone();
    if (!is_gone && !job.is_late()) {
      return false;
    }
    ++(is_gone ? figures_.gone : figures_.late);
    --figures_.waiting_jobs;
    figures_.waiting_tokens -= tokens_of(job, waiting.next);
    ended.push_back(waiting.job);
    return true;
  });
  return ended;
}

std::vector<Unit> Batcher::take(Group& group) {
  std::vector<Unit> batch;
  std::int64_t tokens = 0;
  const auto take_next = [&](Waiting& waiting) {
    tokens += waiting.job->tokens[waiting.next];
    batch.push_back({waiting.job, waiting.next++});
  };
  const auto is_left = [](const Waiting& waiting) {
    return waiting.next < waiting.job->tokens.size();
  };
  while (is_left(group.front()) && (batch.empty() || tokens < options_.batch_tokens / 2)) {
    take_next(group.front());
  }
  for (std::size_t before = 0; before != batch.size() && tokens < options_.batch_tokens;) {
    before = batch.size();
    for (Waiting& waiting : group) {
      if (is_left(waiting) && tokens < options_.batch_tokens) {
        take_next(waiting);
      }
    }
  }
  figures_.waiting_jobs -= static_cast<std::int64_t>(
      std::erase_if(group, [&](const Waiting& waiting) { return !is_left(waiting); }));
  figures_.waiting_tokens -= tokens;
  running_tokens_ = tokens;
  return batch;
}

double Batcher::foreseen_seconds(std::int64_t more) const {
  return tokens_per_second_ > 0
             ? static_cast<double>(figures_.waiting_tokens + running_tokens_ + more) /
                   tokens_per_second_
             : 0;
}

void Batcher::update_full() {
  is_full_ = figures_.waiting_jobs > 0 && (figures_.waiting_tokens >= options_.queue_tokens ||
                                           foreseen_seconds(0) > options_.longest_wait.count());
}

// The speed of full batches is what a queue is worked off with: a batch of one sentence is slower,
// and says little about it.
void Batcher::measured(std::int64_t tokens, double seconds) {
  const double speed = static_cast<double>(tokens) / std::max(seconds, 1e-6);
  const bool is_full = tokens >= options_.batch_tokens / 2;
  if (speed > tokens_per_second_) {
    tokens_per_second_ = speed;
  } else if (is_full) {
    constexpr double kShare = 0.1;
    tokens_per_second_ += kShare * (speed - tokens_per_second_);
  }
}

// The next batch, or jobs that have ended without one; nothing: there is none yet, look again.
Batcher::Next Batcher::next(std::unique_lock<std::mutex>& lock) {
  if (!first_.empty()) {
    return {.batch = std::exchange(first_, {})};
  }
  const auto group = oldest_group();
  if (is_worth_waiting(group->second)) {
    changed_.wait_until(lock, group->second.front().since + options_.window);
    return {};
  }
  Next found{.ended = remove_ended(group->second)};
  if (!group->second.empty()) {
    found.batch = take(group->second);
  }
  if (group->second.empty()) {
    groups_.erase(group);
  }
  update_full();
  return found;
}

void Batcher::compute(const Next& next) {
  for (const auto& job : next.ended) {
    job->fail(late_error());
  }
  if (next.batch.empty()) {
    return;
  }
  const double seconds = seconds_of([&] { run_(next.batch); });
  const std::scoped_lock lock(mutex_);
  const std::int64_t tokens = std::exchange(running_tokens_, 0);
  ++figures_.batches;
  figures_.sentences += next.batch.size();
  figures_.tokens += static_cast<std::uint64_t>(tokens);
  figures_.busy_seconds += seconds;
  measured(tokens, seconds);
  update_full();
}

void Batcher::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_closing_ || !groups_.empty() || !first_.empty(); });
    if (groups_.empty() && first_.empty()) {
      return;
    }
    {
      const Next found = next(lock);
      lock.unlock();
      compute(found);
    }  // whoever is answered is let go before the next one is waited for
    lock.lock();
  }
}

}  // namespace yona::serve
