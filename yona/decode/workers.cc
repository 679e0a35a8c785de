#include "yona/decode/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "yona/base/error.h"
#include "yona/base/thread_pool.h"

namespace yona {

Workers::Workers(const std::vector<const SequenceModel*>& models,
                 std::span<const WorkerPlace> places, const DecodeOptions& options) {
  check(!places.empty(), "translate: there is no worker");
  for (const WorkerPlace& place : places) {
    workers_.push_back(std::make_unique<Worker>(models, place, options));
  }
}

std::int64_t Workers::kept_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& worker : workers_) {
    bytes += worker->decoder.kept_bytes() + worker->scorer.kept_bytes();
  }
  return bytes;
}

void Workers::run(std::size_t items, const std::function<void(Worker&, std::size_t)>& function) {
  if (workers_.size() == 1 || items <= 1) {
    for (std::size_t item = 0; item < items; ++item) {
      function(first(), item);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto work = [&](Worker& worker) {
    if (worker.cpu >= 0) {
      pin_thread(worker.cpu);
    }
    for (std::size_t item = next++; item < items; item = next++) {
      try {
        function(worker, item);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        error = error ? error : std::current_exception();
        next.store(items);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::min(workers_.size(), items); ++i) {
    try {
      threads.emplace_back(work, std::ref(*workers_[i]));
    } catch (const std::system_error&) {
      if (threads.empty()) {
        throw;
      }
      break;  // those that were started do the work
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace yona
