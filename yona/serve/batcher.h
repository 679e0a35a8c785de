// Joins the sentences of all requests into batches. The first of a batch waits a moment for others;
// while a batch is computed the next one gathers. The queue is bounded: what could not be answered
// in time is refused at once instead of later.
//
// Which sentences are computed together: batch_choice.h.
//
// A batch of a large job is preempted by jobs that are much smaller (preempt()), so neither a
// document nor a wide search keeps short requests waiting. Jobs of which one may preempt the other
// do not join the same batch: a batch is answered as a whole.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "yona/serve/batch_choice.h"
#include "yona/serve/job.h"
#include "yona/serve/step_clock.h"

namespace yona::serve {

struct BatcherOptions {
  std::int64_t batch_tokens = 1024;               // as BatchLimits
  std::int64_t batch_work = 0;                    // likewise
  std::chrono::microseconds window{1000};         // that the first of a batch waits for others
  std::int64_t queue_tokens = 1 << 18;            // that may wait
  std::chrono::duration<double> longest_wait{2};  // until a job is begun
  std::int64_t small_work = 64;                   // up to this a job is never large
};

// What has happened so far, for /metrics.
struct BatcherFigures {
  std::int64_t waiting_jobs = 0, waiting_tokens = 0;
  std::uint64_t batches = 0, sentences = 0, tokens = 0;  // computed
  std::uint64_t refused = 0, late = 0, gone = 0;         // jobs
  std::uint64_t preemptions = 0;                         // of batches
  double busy_seconds = 0;
  std::uint64_t steps = 0, long_steps = 0;  // between places where a batch can be preempted
  double longest_step = 0;                  // seconds
};

class Batcher {
 public:
  // Computes a batch of one group; answers the jobs itself. Must not throw.
  using Run = std::function<void(const std::vector<Unit>& batch)>;
  using Idle = std::function<void()>;
  // Batches in each other, at most: the first and those that preempt it.
  static constexpr std::size_t kMostDepth = 4;

  // `idle` is called by run's thread when nothing has come for a second after a batch.
  Batcher(const BatcherOptions& options, Run run, Idle idle = {});
  ~Batcher();  // as close()
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // Any thread. Throws HttpError 503 with the seconds after which to try again when the queue is
  // full, when the job would wait too long, or when close() was called.
  void submit(const std::shared_ptr<Job>& job);
  // A sentence that needs another round; goes before all others. From within run alone.
  void again(const Unit& unit);
  // From within run, between two steps of its batch, by any one of its threads: if much smaller
  // jobs wait, a batch of them is computed first, by `run_small` in the calling thread. Also
  // answers those that have waited too long.
  void preempt(const Run& run_small);
  // From within run, before its batch is computed: the largest of its jobs is of this work or more.
  // Lengths are known roughly when a job is submitted, exactly where it is computed; how small a
  // job must be to preempt the batch depends on it. As Job::compared_work().
  void counted(std::int64_t work);
  // From within run: this batch has a model to load, so its time is not the one to foresee others
  // by, and those that wait behind it wait within their deadlines.
  void loads();
  // How many batches are running, each preempting the one before.
  std::size_t depth() const;
  // Would a small job be refused? Quick: for those who can say so before they read on.
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  // Computes what was accepted, then ends the thread. Not from run's thread.
  void close();

  BatcherFigures figures() const;

 private:
  using Groups = std::map<std::string, WaitingGroup>;

  struct Next {
    std::vector<Unit> batch{};
    std::vector<std::pair<std::shared_ptr<Job>, std::exception_ptr>> ended{};
  };

  // A running batch.
  struct Running {
    std::int64_t tokens = 0, work = 0;
    std::int64_t largest = 0;  // work of the largest of its jobs, as it is compared
    Clock::time_point taken{};
    Clock::time_point undisturbed{};  // until then it is not preempted
    double nested_seconds = 0;        // of those that preempted it
    bool has_loaded = false;
    std::thread::id thread{};
  };

  void work();
  Next next(std::unique_lock<std::mutex>& lock);
  Next urgent();
  void compute(const Next& next, const Run& run);
  void ended_running(std::size_t sentences, bool has_failed);
  Groups::iterator next_group(std::int64_t most_work);
  std::int64_t smallest_waiting() const;
  bool is_worth_waiting(const WaitingGroup& group) const;
  bool has_waited_too_long(const WaitingJob& waiting, Clock::time_point now) const;
  std::vector<Unit> take(WaitingGroup& group, std::int64_t most_work);
  void remove_ended(WaitingGroup& group, Next& next);
  bool is_loading() const;
  double foreseen_seconds(const Job* job) const;
  std::exception_ptr overloaded_error(double seconds) const;
  void update_full();
  void measured(const Running& running, double seconds);

  const BatcherOptions options_;
  const Run run_;
  const Idle idle_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Groups groups_;                 // none of them empty
  std::vector<Running> running_;  // each preempts the one before
  Clock::time_point looked_{};    // for those that have waited too long
  std::int64_t smallest_ = 0;     // work of the jobs that wait, or less
  double work_per_second_ = 0;    // 0: not known yet
  BatcherFigures figures_;
  StepClock steps_;
  bool is_closing_ = false;
  std::atomic<bool> is_full_{false}, has_waiting_{false};
  std::thread thread_;
};

}  // namespace yona::serve
