#include "yona/serve/run_watch.h"

namespace yona::serve {

RunWatch::RunWatch(RunsPlace place, std::chrono::milliseconds every)
    : place_(std::move(place)), every_(every), thread_([this] { work(); }) {}

RunWatch::~RunWatch() { end(); }

void RunWatch::add(const std::shared_ptr<Exchange>& exchange) {
  exchange->begin_stream(
      {.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  const std::scoped_lock lock(mutex_);
  if (is_ending_) {
    exchange->end_stream();
    return;
  }
  watchers_.push_back({exchange});
  changed_.notify_one();
}

void RunWatch::end() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

// Sends the current state to those who do not have it yet, and forgets those who have left.
void RunWatch::tell() {
  std::erase_if(watchers_, [](const Watcher& watcher) { return watcher.exchange->gone()->load(); });
  const std::string event = server_sent_event("runs", runs_json(place_));
  for (Watcher& watcher : watchers_) {
    if (watcher.told != event) {
      watcher.exchange->write(event);
      watcher.told = event;
    }
  }
}

void RunWatch::work() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (watchers_.empty()) {
      changed_.wait(lock, [&] { return is_ending_ || !watchers_.empty(); });
    } else {
      changed_.wait_for(lock, every_);
    }
    tell();
  }
  for (const Watcher& watcher : watchers_) {
    watcher.exchange->end_stream();
  }
  watchers_.clear();
}

}  // namespace yona::serve
