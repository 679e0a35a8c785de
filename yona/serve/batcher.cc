#include "yona/serve/batcher.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "yona/base/error.h"

namespace yona::serve {

namespace {

std::int64_t tokens_of(const Job& job) {
  return std::accumulate(job.tokens.begin(), job.tokens.end(), std::int64_t{0});
}

// Whoever has waited longest since it came or was last served.
template <class Group>
auto longest_unserved(const Group& group) {
  return std::min_element(group.begin(), group.end(),
                          [](const auto& a, const auto& b) { return a.served < b.served; });
}

std::exception_ptr late_error() {
  return std::make_exception_ptr(
      HttpError(504,
                "the answer was not ready within the request's deadline; send less at once, "
                "or try again later",
                1));
}

std::exception_ptr gone_error() {
  return std::make_exception_ptr(HttpError(499, "the client has gone"));
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
  const double seconds = foreseen_seconds(tokens);
  const bool has_room = figures_.waiting_tokens + tokens <= options_.queue_tokens &&
                        seconds <= options_.longest_wait.count();
  if (!has_room && figures_.waiting_jobs > 0) {
    ++figures_.refused;
    throw HttpError(503, "the server has more to do than it can; try again later",
                    static_cast<int>(std::clamp(std::ceil(seconds), 1.0, 60.0)));
  }
  std::vector<std::size_t> all(job->tokens.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Clock::time_point now = Clock::now();
  groups_[job->group].push_back({job, std::move(all), tokens, now, now});
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

// The one with whoever has waited longest since it came or was last served.
std::map<std::string, Batcher::Group>::iterator Batcher::next_group() {
  const auto served = [](const auto& entry) { return longest_unserved(entry.second)->served; };
  return std::min_element(groups_.begin(), groups_.end(),
                          [&](const auto& a, const auto& b) { return served(a) < served(b); });
}

bool Batcher::is_worth_waiting(const Group& group) const {
  std::int64_t tokens = 0;
  for (const Waiting& waiting : group) {
    tokens += waiting.tokens;
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
    figures_.waiting_tokens -= waiting.tokens;
    ended.push_back(waiting.job);
    return true;
  });
  return ended;
}

// The sentences of the next few batches, shared out among the jobs; first of all that of whoever
// has waited longest.
std::vector<Batcher::Candidate> Batcher::candidates(Group& group) const {
  constexpr int kBatches = 4;
  std::vector<Candidate> found;
  std::vector<std::size_t> cursors(group.size(), 0);
  std::int64_t tokens = 0;
  const auto add_next = [&](std::size_t i) {
    Waiting& waiting = group[i];
    const std::size_t place = cursors[i]++;
    found.push_back({&waiting, place, waiting.job->tokens[waiting.left[place]]});
    tokens += found.back().tokens;
  };
  const auto is_left = [&](std::size_t i) { return cursors[i] < group[i].left.size(); };
  add_next(static_cast<std::size_t>(longest_unserved(group) - group.begin()));
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::int64_t half = batch * options_.batch_tokens + options_.batch_tokens / 2;
    const std::int64_t whole = (batch + 1) * options_.batch_tokens;
    while (is_left(0) && tokens < half) {
      add_next(0);
    }
    for (std::size_t before = 0; before != found.size() && tokens < whole;) {
      before = found.size();
      for (std::size_t i = 0; i < group.size() && tokens < whole; ++i) {
        if (is_left(i)) {
          add_next(i);
        }
      }
    }
  }
  return found;
}

// The first one, and those of the others whose lengths are nearest to its own, in their order.
std::vector<Batcher::Candidate> Batcher::chosen(std::vector<Candidate> candidates) const {
  const std::int64_t length = candidates.front().tokens;
  std::vector<std::size_t> nearest(candidates.size());
  std::iota(nearest.begin(), nearest.end(), std::size_t{0});
  std::stable_sort(nearest.begin(), nearest.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(candidates[a].tokens - length) < std::abs(candidates[b].tokens - length);
  });
  std::vector<std::size_t> taken;
  std::int64_t longest = 0;
  for (const std::size_t i : nearest) {
    const std::int64_t most = std::max(longest, candidates[i].tokens);
    if (taken.empty() ||
        static_cast<std::int64_t>(taken.size() + 1) * most <= options_.batch_tokens) {
      taken.push_back(i);
      longest = most;
    }
  }
  std::sort(taken.begin(), taken.end());
  std::vector<Candidate> batch;
  batch.reserve(taken.size());
  for (const std::size_t i : taken) {
    batch.push_back(candidates[i]);
  }
  return batch;
}

std::vector<Unit> Batcher::take(Group& group) {
  constexpr std::size_t kTaken = std::numeric_limits<std::size_t>::max();
  std::vector<Unit> batch;
  taken_ = Clock::now();
  for (const Candidate& candidate : chosen(candidates(group))) {
    Waiting& waiting = *candidate.waiting;
    batch.push_back({waiting.job, std::exchange(waiting.left[candidate.place], kTaken)});
    waiting.tokens -= candidate.tokens;
    waiting.served = taken_;
    running_tokens_ += candidate.tokens;
  }
  for (Waiting& waiting : group) {
    if (waiting.served == taken_) {
      std::erase(waiting.left, kTaken);
    }
  }
  figures_.waiting_tokens -= running_tokens_;
  figures_.waiting_jobs -= static_cast<std::int64_t>(
      std::erase_if(group, [](const Waiting& waiting) { return waiting.left.empty(); }));
  return batch;
}

// How long a job of so many tokens would wait for others. Everybody is served in turn, so of
// whoever is before no more comes first than is asked for here: a document does not shut out small
// requests.
double Batcher::foreseen_seconds(std::int64_t tokens) const {
  if (tokens_per_second_ <= 0) {
    return 0;
  }
  constexpr std::int64_t kSmall = 64;
  const std::int64_t most = std::max(tokens, kSmall);
  std::int64_t before = running_tokens_;
  for (const auto& [name, group] : groups_) {
    for (const Waiting& waiting : group) {
      before += std::min(waiting.tokens, most);
    }
  }
  return static_cast<double>(before) / tokens_per_second_;
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
  const auto group = next_group();
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
    job->fail(job->is_gone() ? gone_error() : late_error());
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
  was_served();
}

// Those of the batch that has ended, who have more, were served until now.
void Batcher::was_served() {
  const Clock::time_point now = Clock::now();
  for (auto& [name, group] : groups_) {
    for (Waiting& waiting : group) {
      waiting.served = waiting.served == taken_ ? now : waiting.served;
    }
  }
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
