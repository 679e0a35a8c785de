// Tells pages that watch when a run has come or its log has grown: looks at the folder a few times
// a second, while anybody watches, and writes to their streams of server-sent events.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "yona/serve/http.h"
#include "yona/serve/runs.h"

namespace yona::serve {

class RunWatch {
 public:
  explicit RunWatch(RunsPlace place,
                    std::chrono::milliseconds every = std::chrono::milliseconds(250));
  ~RunWatch();  // as end()
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // A client of this exchange gets an event "runs" with runs_json(), now and whenever that changes.
  void add(const std::shared_ptr<Exchange>& exchange);
  // Ends all streams; those that come later end at once.
  void end();

 private:
  struct Watcher {
    std::shared_ptr<Exchange> exchange;
    std::string told{};  // the last event
  };

  void work();
  void tell();

  const RunsPlace place_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watcher> watchers_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace yona::serve
