// Which sentences of the waiting jobs make the next batch.
//
// A batch is made around the sentence of the job that has waited longest since it came or was last
// served: of those that come next, sentences of about the same length join it, because they end
// together. Half of what comes next belongs to the oldest request, the rest is dealt out to all in
// turn, so that a long document does not starve.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "yona/serve/job.h"

namespace yona::serve {

struct WaitingJob {
  std::shared_ptr<Job> job;
  std::vector<std::size_t> left;  // its sentences that have been in no batch, in order
  std::int64_t tokens;            // of these
  std::int64_t work;              // likewise
  std::int64_t size;              // the job's work as a whole, as it is compared
  Clock::time_point since;        // it came
  Clock::time_point served;       // a batch with it ended; at first when it came
  bool is_begun = false;          // some of it has been in a batch
};

using WaitingGroup = std::deque<WaitingJob>;  // oldest first

// A sentence that may come into the next batch.
struct BatchCandidate {
  WaitingJob* waiting = nullptr;
  std::size_t place = 0;  // in `left`
  std::int64_t tokens = 0;
};

struct BatchLimits {
  std::int64_t tokens = 1024;  // of a batch, each counted as its longest
  std::int64_t work = 0;       // of a batch of several sentences; 0: any
};

// A job preempts another that is this many times as large.
inline constexpr std::int64_t kMuchSmaller = 4;
// May a job of this work preempt a batch whose largest job is of that?
inline bool preempts(std::int64_t work, std::int64_t largest) {
  return work <= largest / kMuchSmaller;
}

// The job of at most so much work that has waited longest since it came or was last served; the end
// where there is none.
WaitingGroup::iterator longest_unserved(WaitingGroup& group, std::int64_t most_work);

// The next batch: of jobs of at most so much work, of which there must be one, and none of which
// may preempt another. The sentences of a job are in order.
std::vector<BatchCandidate> chosen_batch(WaitingGroup& group, std::int64_t most_work,
                                         const BatchLimits& limits);

}  // namespace yona::serve
