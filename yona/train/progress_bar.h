// The live line of a run on a terminal: redrawn in place at most ten times a second, with whatever
// else there is to say printed above it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "yona/train/progress_meter.h"

namespace yona {

// What a bar needs to know of its terminal; tests give their own.
struct TerminalPort {
  std::function<void(std::string_view bytes)> write;
  std::function<int()> columns;   // asked at every drawing: windows change their size
  std::function<double()> clock;  // seconds
  bool colour = false;
  bool unicode = false;
};

// Standard error as it is now: NO_COLOR and the locale are looked at.
TerminalPort standard_error_port();
// Is standard error a terminal that can redraw a line?
bool standard_error_can_redraw();

// What takes the cursor to the front of an emptied line.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";
// `share` of the columns filled; everything in a bar but its blocks is ASCII.
std::string drawn_bar(double share, int columns, bool unicode);

// One line of at most `columns` characters: what matters least is left out first.
std::string bar_line(const ProgressSummary& summary, int columns, bool unicode);

class BarReporter : public Reporter {
 public:
  BarReporter(TerminalPort port, std::int64_t window);
  ~BarReporter() override;  // leaves the terminal without a half-drawn line

  void started(const RunPlan& plan) override;
  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;
  void message(MessageLevel level, std::string_view text) override;  // from any thread
  void finished(const FinishReport& report) override;

 private:
  void print(std::string_view line, std::string_view colour);  // above the bar
  void draw();
  void erase();

  std::mutex mutex_;
  TerminalPort port_;
  ProgressMeter meter_;
  double drawn_at_ = -1e9;
  bool is_drawn_ = false;
};

}  // namespace yona
