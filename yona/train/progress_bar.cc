#include "yona/train/progress_bar.h"

#include <algorithm>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/base/terminal.h"
#include "yona/base/timing.h"
#include "yona/train/progress_lines.h"

namespace yona {

namespace {

constexpr double kDrawEvery = 0.1;  // seconds
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Part {
  std::string text;
  int rank;  // the highest goes first when there is no room; 0 stays
};
constexpr int kLeastImportant = 6;
constexpr int kPartGap = 2;  // columns between parts

std::vector<Part> parts_of(const ProgressSummary& summary) {
  const UpdateReport& last = summary.last;
  std::vector<Part> parts{
      {last.updates > 0 ? fmt::format("{}/{}", grouped(last.update), grouped(last.updates))
                        : fmt::format("update {}", grouped(last.update)),
       0},
      {fmt::format("epoch {}", last.epoch + 1), 6},
      {fmt::format("loss {:.3f}", summary.loss), 1},
      {fmt::format("ppl {:.4g}", summary.perplexity()), 4},
      {fmt::format("{} tok/s", grouped(static_cast<std::int64_t>(summary.tokens_per_second))), 3},
      {fmt::format("lr {}", short_rate(last.learning_rate)), 5}};
  if (summary.seconds_left) {
    parts.push_back({fmt::format("{} left", short_duration(*summary.seconds_left)), 2});
  }
  return parts;
}

std::string joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) {
    line.append(line.empty() ? 0 : kPartGap, ' ').append(part.text);
  }
  return line;
}

int length(const std::vector<Part>& parts) { return static_cast<int>(joined(parts).size()); }

}  // namespace

std::string drawn_bar(double share, int columns, bool unicode) {
  const int full = std::clamp(static_cast<int>(share * columns), 0, columns);
  std::string bar;
  for (int i = 0; i < columns; ++i) {
    bar += i < full ? (unicode ? "━" : "#") : (unicode ? "─" : ".");
  }
  return bar;
}

TerminalPort standard_error_port() {
  TerminalPort port;
  port.write = [](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
      if (written <= 0) {
        return;  // a terminal that is gone needs no bar
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  port.columns = [] { return terminal_columns(STDERR_FILENO); };
  port.clock = steady_seconds;
  port.colour = environment("NO_COLOR").empty();
  port.unicode = locale_is_utf8();
  return port;
}

bool standard_error_can_redraw() {
  return ::isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb";
}

std::string bar_line(const ProgressSummary& summary, int columns, bool unicode) {
  std::vector<Part> parts = parts_of(summary);
  for (int rank = kLeastImportant; rank > 0 && length(parts) > columns; --rank) {
    std::erase_if(parts, [rank](const Part& part) { return part.rank == rank; });
  }
  const int room = columns - length(parts) - kPartGap;
  if (summary.last.updates > 0 && room >= 10) {
    const double share =
        static_cast<double>(summary.last.update) / static_cast<double>(summary.last.updates);
    parts.insert(parts.begin() + 1, {drawn_bar(share, std::min(room, 30), unicode), 0});
    return joined(parts);
  }
  return joined(parts).substr(0, static_cast<std::size_t>(std::max(columns, 0)));
}

BarReporter::BarReporter(TerminalPort port, std::int64_t window)
    : port_(std::move(port)), meter_(window) {}

BarReporter::~BarReporter() { erase(); }

void BarReporter::erase() {
  if (is_drawn_) {
    port_.write(kEraseLine);
    is_drawn_ = false;
  }
}

void BarReporter::draw() {
  drawn_at_ = port_.clock();
  // The last column stays free: a full line makes some terminals wrap.
  const std::string line = bar_line(meter_.summary(), port_.columns() - 1, port_.unicode);
  port_.write(fmt::format("\r{}\x1b[K", line));
  is_drawn_ = true;
}

void BarReporter::print(std::string_view line, std::string_view colour) {
  const bool had_bar = is_drawn_;
  erase();
  port_.write(port_.colour && !colour.empty() ? fmt::format("{}{}{}\n", colour, line, kPlain)
                                              : fmt::format("{}\n", line));
  if (had_bar) {
    draw();
  }
}

void BarReporter::started(const RunPlan& plan) {
  const std::lock_guard lock(mutex_);
  meter_.begin(plan.first_update);
  for (const std::string& line : lines_of(plan)) {
    print(line, "");
  }
}

void BarReporter::updated(const UpdateReport& report) {
  const std::lock_guard lock(mutex_);
  meter_.add(report);
  if (port_.clock() - drawn_at_ >= kDrawEvery || report.update == report.updates) {
    draw();
  }
}

void BarReporter::validated(const ValidationReport& report) {
  const std::lock_guard lock(mutex_);
  print(line_of(report), report.is_best ? kBold : "");
}

void BarReporter::message(MessageLevel level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  switch (level) {
    case MessageLevel::info:
      print(text, "");
      return;
    case MessageLevel::warning:
      print(fmt::format("warning: {}", text), kYellow);
      return;
    case MessageLevel::error:
      print(fmt::format("error: {}", text), kRed);
      return;
  }
}

void BarReporter::finished(const FinishReport& report) {
  const std::lock_guard lock(mutex_);
  erase();
  print(line_of(report), kBold);
}

}  // namespace yona
