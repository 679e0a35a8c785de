#include "yona/data/line_queue.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "yona/base/file_descriptor.h"

namespace yona {

namespace {

constexpr int kLookUpMilliseconds = 50;  // how soon a waiting read notices that it is to stop

// What a descriptor has, as soon as it has anything.
class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, std::string name, const std::atomic<bool>& stop)
      : descriptor_(descriptor), name_(std::move(name)), stop_(stop) {}

  std::size_t read(char* into, std::size_t size) override {
    while (!stop_) {
      pollfd waiting{descriptor_, POLLIN, 0};
      if (::poll(&waiting, 1, kLookUpMilliseconds) == 0) {
        continue;
      }
      const ssize_t got = ::read(descriptor_, into, size);
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR && errno != EAGAIN) {
        fail_reading(name_);
      }
    }
    return 0;
  }

 private:
  int descriptor_;
  std::string name_;
  const std::atomic<bool>& stop_;
};

}  // namespace

LineQueue::LineQueue(const std::filesystem::path& path, const WindowLimits& limits)
    : limits_(limits),
      reader_(std::make_unique<LineReader>(path)),
      thread_([this] { read(*reader_); }) {}

LineQueue::LineQueue(int descriptor, const std::string& name, const WindowLimits& limits)
    : limits_(limits),
      reader_(std::make_unique<LineReader>(
          std::make_unique<DescriptorSource>(descriptor, name, stop_), name)),
      thread_([this] { read(*reader_); }) {}

LineQueue::~LineQueue() {
  stop();
  thread_.join();
}

void LineQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  came_.notify_all();
  went_.notify_all();
}

void LineQueue::read(LineReader& reader) {
  try {
    LineReader::Line line;
    while (!stop_ && reader.next(line)) {
      push({reader.lines(), std::string(line.text), line.valid_utf8, line.cut});
    }
  } catch (...) {
    error_ = std::current_exception();  // read by next() once ended_ is seen
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  came_.notify_all();
}

void LineQueue::push(InputLine line) {
  std::unique_lock lock(mutex_);
  went_.wait(lock, [&] { return !is_full() || stop_; });
  bytes_ += line.text.size();
  lines_.push_back(std::move(line));
  came_.notify_all();
}

std::vector<InputLine> LineQueue::next() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return !lines_.empty() || ended_; });
  while (!is_full() && !ended_) {
    const std::size_t before = lines_.size();
    const auto has_come = [&] { return lines_.size() > before || ended_; };
    if (!limits_.patience) {
      came_.wait(lock, has_come);
    } else if (!came_.wait_for(lock, *limits_.patience, has_come)) {
      break;
    }
  }
  std::vector<InputLine> window;
  while (!lines_.empty() && window.size() < limits_.lines) {
    bytes_ -= lines_.front().text.size();
    window.push_back(std::move(lines_.front()));
    lines_.pop_front();
  }
  went_.notify_all();
  if (window.empty() && error_ != nullptr) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
  return window;
}

}  // namespace yona
