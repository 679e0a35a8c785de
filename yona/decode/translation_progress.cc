#include "yona/decode/translation_progress.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/base/timing.h"

namespace yona {

namespace {

constexpr int kBarColumns = 30;

}  // namespace

TranslationProgress::TranslationProgress(std::optional<TerminalPort> port,
                                         std::uint64_t total_bytes)
    : port_(std::move(port)),
      total_bytes_(total_bytes),
      began_(port_ ? port_->clock() : steady_seconds()) {}

TranslationProgress::~TranslationProgress() {
  if (is_drawn_) {
    port_->write(kEraseLine);
  }
}

double TranslationProgress::seconds() const {
  return (port_ ? port_->clock() : steady_seconds()) - began_;
}

void TranslationProgress::add(std::uint64_t lines, std::uint64_t bytes) {
  lines_ += lines;
  bytes_ += bytes;
  if (port_) {
    draw(static_cast<double>(lines_), static_cast<double>(bytes_));
  }
}

void TranslationProgress::show(double share, std::uint64_t lines, std::uint64_t bytes) {
  constexpr double kBetween = 0.1;  // seconds
  if (!port_ || seconds() - shown_ < kBetween) {
    return;
  }
  shown_ = seconds();
  draw(static_cast<double>(lines_) + share * static_cast<double>(lines),
       static_cast<double>(bytes_) + share * static_cast<double>(bytes));
}

void TranslationProgress::draw(double lines, double bytes) {
  const double elapsed = std::max(seconds(), 1e-9);
  std::string line = fmt::format("{} lines  {} lines/s", grouped(static_cast<std::int64_t>(lines)),
                                 grouped(static_cast<std::int64_t>(lines / elapsed)));
  int columns = static_cast<int>(line.size());
  if (total_bytes_ > 0 && bytes > 0) {
    const double share = std::min(1.0, bytes / static_cast<double>(total_bytes_));
    line = fmt::format("{:3.0f} %  {}  {} left", 100 * share, line,
                       short_duration(elapsed * (1 - share) / share));
    columns = static_cast<int>(line.size()) + kBarColumns + 1;
    line = fmt::format("{} {}", drawn_bar(share, kBarColumns, port_->unicode), line);
  }
  if (columns < port_->columns()) {
    port_->write(fmt::format("{}{}", kEraseLine, line));
    is_drawn_ = true;
  }
}

}  // namespace yona
