// What waits to be computed: a request's sentences, or a task that looks at a model. The batcher
// (batcher.h) sees no more of it than is here.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "yona/base/timing.h"
#include "yona/serve/http.h"

namespace yona::serve {

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // The job is over: nothing more comes. Called once, by the batcher's thread, unless it is done.
  virtual void fail(const std::exception_ptr& error) = 0;

  std::string group;                 // sentences of one group can be computed together
  std::vector<std::int64_t> tokens;  // of each sentence, roughly: at least one sentence
  // What each sentence costs at most, in rows of a decoding step; empty: as many as its tokens.
  std::vector<std::int64_t> work{};
  // When it is decided what preempts what, the job counts as this many times its work.
  std::int64_t preemption_weight = 1;
  Clock::time_point deadline = Clock::time_point::max();
  GoneFlag gone{};       // empty: the client cannot leave
  GoneFlag cancelled{};  // another part of the same request has failed; empty: it has none

  std::int64_t work_of(std::size_t sentence) const {
    return work.empty() ? tokens[sentence] : work[sentence];
  }
  std::int64_t total_work() const {
    const std::vector<std::int64_t>& each = work.empty() ? tokens : work;
    return std::accumulate(each.begin(), each.end(), std::int64_t{0});
  }
  // By which jobs are compared where one may preempt the other.
  std::int64_t compared_work() const { return preemption_weight * total_work(); }
  // Has fail() been called? Then what its batch took says nothing about speed.
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }
  // Does nothing wait for it any more?
  bool is_gone() const {
    return (gone && gone->load(std::memory_order_relaxed)) ||
           (cancelled && cancelled->load(std::memory_order_relaxed));
  }
  bool is_late() const { return Clock::now() > deadline; }

 protected:
  std::atomic<bool> has_failed_{false};
};

// One sentence of a job.
struct Unit {
  std::shared_ptr<Job> job;
  std::size_t sentence = 0;
};

}  // namespace yona::serve
