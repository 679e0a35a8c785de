// A job without sentences that counts how often it failed, and keeps the last status.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yona/serve/batcher.h"

namespace yona::testing {

class CountingJob : public serve::Job {
 public:
  CountingJob(std::string its_group, std::vector<std::int64_t> sizes) {
    group = std::move(its_group);
    tokens = std::move(sizes);
  }
  void fail(const std::exception_ptr& error) override {
    has_failed_ = true;
    ++failures;
    try {
      std::rethrow_exception(error);
    } catch (const serve::HttpError& known) {
      status = known.status;
    }
  }
  std::atomic<int> failures{0}, status{0};
};

inline std::shared_ptr<CountingJob> job(const std::string& group, std::vector<std::int64_t> sizes) {
  return std::make_shared<CountingJob>(group, std::move(sizes));
}

}  // namespace yona::testing
