// How far `yona translate` is, on one line of the terminal: lines, sentences a second, and where
// the size of the input is known, the share and the time left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "yona/train/progress_bar.h"

namespace yona {

class TranslationProgress {
 public:
  // Draws nothing without a port. `total_bytes` is the input's size, 0 if unknown.
  TranslationProgress(std::optional<TerminalPort> port, std::uint64_t total_bytes);
  ~TranslationProgress();  // leaves the terminal without a half-drawn line
  TranslationProgress(const TranslationProgress&) = delete;
  TranslationProgress& operator=(const TranslationProgress&) = delete;

  // This much more is done; the LF of each line counts.
  void add(std::uint64_t lines, std::uint64_t bytes);
  // This share of the current window, which has that many lines and bytes, is done.
  // From any thread, one at a time; at most ten times a second.
  void show(double share, std::uint64_t lines, std::uint64_t bytes);

  std::uint64_t lines() const { return lines_; }
  double seconds() const;

 private:
  void draw(double lines, double bytes);

  std::optional<TerminalPort> port_;
  std::uint64_t total_bytes_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
  double began_ = 0;
  double shown_ = 0;  // when show() drew
  bool is_drawn_ = false;
};

}  // namespace yona
