// A job that gives one result for each of its sentences, in any order, and is done with the last.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "yona/serve/job.h"

namespace yona::serve {

template <class Result>
class ResultsJob : public Job {
 public:
  virtual std::size_t size() const = 0;  // sentences

  // Called by threads that compute, one at a time; one of them, once; both where done() throws.
  std::function<void(std::vector<Result>)> done;
  std::function<void(const std::exception_ptr&)> failed;

  // Any thread.
  void fail(const std::exception_ptr& error) override {
    const std::scoped_lock lock(mutex_);
    if (!is_over_.exchange(true)) {
      has_failed_ = true;
      failed(error);
    }
  }
  // The result of a sentence, the first one that is given; with the last sentence the job is done.
  void finish(std::size_t sentence, Result result) {
    const std::scoped_lock lock(mutex_);
    results_.resize(size());
    if (is_over_ || results_[sentence]) {
      return;
    }
    results_[sentence] = std::move(result);
    if (++finished_ == results_.size()) {
      is_over_ = true;
      answer();
    }
  }
  bool is_over() const { return is_over_; }

 protected:
  std::mutex mutex_;
  std::atomic<bool> is_over_{false};

 private:
  void answer() {
    std::vector<Result> results;
    results.reserve(results_.size());
    for (std::optional<Result>& result : results_) {
      results.push_back(std::move(*result));
    }
    try {
      done(std::move(results));
    } catch (...) {  // the answer could not be made; the client must hear of it
      has_failed_ = true;
      failed(std::current_exception());
    }
  }

  std::vector<std::optional<Result>> results_;
  std::size_t finished_ = 0;
};

}  // namespace yona::serve
