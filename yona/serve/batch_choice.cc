#include "yona/serve/batch_choice.h"

#include <algorithm>
#include <numeric>

namespace yona::serve {

namespace {

// The sentences of the next few batches, shared out among the jobs; first of all that of the job
// that has waited longest. Of jobs of at most so much work, none of which may preempt another.
std::vector<BatchCandidate> next_candidates(WaitingGroup& group, std::int64_t most_work,
                                            std::int64_t batch_tokens) {
  constexpr int kBatches = 4;
  const WaitingJob& first = *longest_unserved(group, most_work);
  std::vector<WaitingJob*> jobs;
  std::size_t first_job = 0;
  std::int64_t smallest = first.size;
  std::int64_t largest = first.size;
  for (WaitingJob& waiting : group) {
    if (&waiting == &first) {
      first_job = jobs.size();
    } else if (waiting.size > most_work || preempts(waiting.size, largest) ||
               preempts(smallest, waiting.size)) {
      continue;
    }
    smallest = std::min(smallest, waiting.size);
    largest = std::max(largest, waiting.size);
    jobs.push_back(&waiting);
  }
  std::vector<BatchCandidate> found;
  std::vector<std::size_t> cursors(jobs.size(), 0);
  std::int64_t tokens = 0;
  const auto add_next = [&](std::size_t i) {
    WaitingJob& waiting = *jobs[i];
    const std::size_t place = cursors[i]++;
    found.push_back({&waiting, place, waiting.job->tokens[waiting.left[place]]});
    tokens += found.back().tokens;
  };
  const auto is_left = [&](std::size_t i) { return cursors[i] < jobs[i]->left.size(); };
  add_next(first_job);
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::int64_t half = batch * batch_tokens + batch_tokens / 2;
    const std::int64_t whole = (batch + 1) * batch_tokens;
    while (is_left(0) && tokens < half) {
      add_next(0);
    }
    for (std::size_t before = 0; before != found.size() && tokens < whole;) {
      before = found.size();
      for (std::size_t i = 0; i < jobs.size() && tokens < whole; ++i) {
        if (is_left(i)) {
          add_next(i);
        }
      }
    }
  }
  return found;
}

// The first one, and those of the others whose lengths are nearest to its own, in their order.
std::vector<BatchCandidate> nearest_in_length(const std::vector<BatchCandidate>& candidates,
                                              const BatchLimits& limits) {
  const std::int64_t length = candidates.front().tokens;
  std::vector<std::size_t> nearest(candidates.size());
  std::iota(nearest.begin(), nearest.end(), std::size_t{0});
  std::stable_sort(nearest.begin(), nearest.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(candidates[a].tokens - length) < std::abs(candidates[b].tokens - length);
  });
  std::vector<std::size_t> taken;
  std::int64_t longest = 0;
  std::int64_t work = 0;
  for (const std::size_t i : nearest) {
    const WaitingJob& waiting = *candidates[i].waiting;
    const std::int64_t most = std::max(longest, candidates[i].tokens);
    const std::int64_t more = work + waiting.job->work_of(waiting.left[candidates[i].place]);
    const bool fits = static_cast<std::int64_t>(taken.size() + 1) * most <= limits.tokens &&
                      (limits.work == 0 || more <= limits.work);
    if (taken.empty() || fits) {
      taken.push_back(i);
      longest = most;
      work = more;
    }
  }
  std::sort(taken.begin(), taken.end());
  std::vector<BatchCandidate> batch;
  batch.reserve(taken.size());
  for (const std::size_t i : taken) {
    batch.push_back(candidates[i]);
  }
  return batch;
}

}  // namespace

WaitingGroup::iterator longest_unserved(WaitingGroup& group, std::int64_t most_work) {
  auto found = group.end();
  for (auto at = group.begin(); at != group.end(); ++at) {
    if (at->size <= most_work && (found == group.end() || at->served < found->served)) {
      found = at;
    }
  }
  return found;
}

std::vector<BatchCandidate> chosen_batch(WaitingGroup& group, std::int64_t most_work,
                                         const BatchLimits& limits) {
  return nearest_in_length(next_candidates(group, most_work, limits.tokens), limits);
}

}  // namespace yona::serve
