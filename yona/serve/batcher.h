// Joins the sentences of all requests into batches. Whoever comes waits a moment for others; while
// a batch is computed the next one gathers. The queue is bounded: what could not be answered in
// time is refused at once instead of later.
//
// A batch is made around the sentence of whoever has waited longest since it came or was last
// served: of those that come next, sentences of about the same length join it, because they end
// together. Half of what comes next belongs to the oldest request, the rest is dealt out to all in
// turn, so that a long document neither keeps short requests waiting nor starves.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "yona/serve/job.h"

namespace yona::serve {

struct BatcherOptions {
  std::int64_t batch_tokens = 1024;               // of a batch, each counted as its longest
  std::chrono::microseconds window{1000};         // that the first of a batch waits for others
  std::int64_t queue_tokens = 1 << 18;            // that may wait
  std::chrono::duration<double> longest_wait{2};  // for those in front, as far as can be foreseen
};

// What has happened so far, for /metrics.
struct BatcherFigures {
  std::int64_t waiting_jobs = 0, waiting_tokens = 0;
  std::uint64_t batches = 0, sentences = 0, tokens = 0;  // computed
  std::uint64_t refused = 0, late = 0, gone = 0;         // jobs
  double busy_seconds = 0;
};

class Batcher {
 public:
  // Computes a batch of one group; answers the jobs itself. Must not throw.
  using Run = std::function<void(const std::vector<Unit>& batch)>;

  Batcher(const BatcherOptions& options, Run run);
  ~Batcher();  // as close()
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Any thread. Throws HttpError 503 with the seconds after which to try again when the queue is
  // full, or when close() was called.
  void submit(const std::shared_ptr<Job>& job);
  // A sentence that needs another round; goes before all others. Of run's thread alone.
  void again(const Unit& unit);
  // Would a small job be refused? Quick: for those who can say so before they read on.
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  // Computes what was accepted, then ends the thread. Not from run's thread.
  void close();

  BatcherFigures figures() const;

 private:
  struct Waiting {
    std::shared_ptr<Job> job;
    std::vector<std::size_t> left;  // its sentences that have been in no batch, in order
    std::int64_t tokens;            // of these
    Clock::time_point since;        // it came
    Clock::time_point served;       // a batch with it ended; at first when it came
  };
  using Group = std::deque<Waiting>;  // oldest first

  // A sentence that may come into the next batch.
  struct Candidate {
    Waiting* waiting = nullptr;
    std::size_t place = 0;  // in `left`
    std::int64_t tokens = 0;
  };

  struct Next {
    std::vector<Unit> batch{};
    std::vector<std::shared_ptr<Job>> ended{};  // nobody waits for them, or they are too late
  };

  void work();
  Next next(std::unique_lock<std::mutex>& lock);
  void compute(const Next& next);
  void was_served();
  std::map<std::string, Group>::iterator next_group();
  bool is_worth_waiting(const Group& group) const;
  std::vector<Candidate> candidates(Group& group) const;
  std::vector<Candidate> chosen(std::vector<Candidate> candidates) const;
  std::vector<Unit> take(Group& group);
  std::vector<std::shared_ptr<Job>> remove_ended(Group& group);
  double foreseen_seconds(std::int64_t tokens) const;
  void update_full();
  void measured(std::int64_t tokens, double seconds);

  const BatcherOptions options_;
  const Run run_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Group> groups_;  // none of them empty
  std::vector<Unit> first_;              // those that need another round, of one group
  std::int64_t running_tokens_ = 0;
  Clock::time_point taken_{};     // the running batch was
  double tokens_per_second_ = 0;  // 0: not known yet
  BatcherFigures figures_;
  bool is_closing_ = false;
  std::atomic<bool> is_full_{false};
  std::thread thread_;
};

}  // namespace yona::serve
