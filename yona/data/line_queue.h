// A thread that reads lines ahead and hands them out in windows: full ones from a file, and what
// has arrived so far from a terminal or a slow pipe. Memory is bounded for any length of input.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "yona/data/line_reader.h"

namespace yona {

struct InputLine {
  std::uint64_t number = 0;  // from 1
  std::string text;
  bool valid_utf8 = true;
  bool cut = false;  // longer than LineReader takes: its beginning only
};

struct WindowLimits {
  std::size_t lines = 4096;
  std::size_t bytes = std::size_t{1} << 22U;  // of text; a longer line is a window of its own
  // A window is handed out before it is full when nothing has come for so long. Zero: at once;
  // none: never, so that the same lines make the same windows.
  std::optional<std::chrono::milliseconds> patience{0};
};

class LineQueue {
 public:
  // A file, plain or compressed. Throws IoError when it cannot be opened.
  LineQueue(const std::filesystem::path& path, const WindowLimits& limits);
  // An open descriptor, such as standard input's 0; it stays open. `name` is for messages.
  LineQueue(int descriptor, const std::string& name, const WindowLimits& limits);
  ~LineQueue();
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  // The next lines, in order; empty at the end. Throws what reading threw, after the lines before.
  std::vector<InputLine> next();

  // Ends the input where it is: next() gives what is left and then nothing. From any thread.
  void stop();

 private:
  void read(LineReader& reader);
  void push(InputLine line);
  bool is_full() const { return lines_.size() >= limits_.lines || bytes_ >= limits_.bytes; }

  WindowLimits limits_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable came_, went_;
  std::deque<InputLine> lines_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  std::exception_ptr error_;
  std::unique_ptr<LineReader> reader_;
  std::thread thread_;
};

}  // namespace yona
