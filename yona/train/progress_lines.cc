#include "yona/train/progress_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "yona/base/human.h"

namespace yona {

namespace {

std::string vocabulary_text(const RunPlan& plan) {
  return plan.input_vocabulary == plan.output_vocabulary
             ? grouped(plan.input_vocabulary)
             : fmt::format("{} and {}", grouped(plan.input_vocabulary),
                           grouped(plan.output_vocabulary));
}

std::string memory_text(const RunPlan& plan) {
  if (plan.peak_memory_bytes == 0) {
    return "";
  }
  const std::string peak = short_bytes(plan.peak_memory_bytes);
  return plan.device_memory_bytes == 0 ? fmt::format("; peak memory about {}", peak)
                                       : fmt::format("; peak memory about {} of {}", peak,
                                                     short_bytes(plan.device_memory_bytes));
}

std::string course_text(const RunPlan& plan) {
  std::string text = plan.first_update == 0
                         ? "training"
                         : fmt::format("resuming after update {},", grouped(plan.first_update));
  const std::string_view course = plan.first_update == 0 ? "for" : "up to";
  if (plan.epochs > 0) {
    text += fmt::format(" {} {} epoch{}, about {} updates,", course, plan.epochs,
                        plan.epochs == 1 ? "" : "s", grouped(plan.updates));
  } else if (plan.updates > 0) {
    text += fmt::format(" {} {} updates", course, grouped(plan.updates));
  }
  return text + fmt::format(" into {}", plan.output.string());
}

// A time that would at least halve the run, and how else it can be made shorter.
std::string hint_of(double seconds) {
  constexpr double kMinute = 60;
  std::string_view shorter;
  if (seconds > 40 * kMinute) {
    shorter = "--for 20m or ";
  } else if (seconds > 10 * kMinute) {
    shorter = "--for 5m or ";
  } else if (seconds > 2 * kMinute) {
    shorter = "--for 1m or ";
  }
  return fmt::format("; {}--updates N makes it shorter", shorter);
}

}  // namespace

std::string line_of(const RunTime& time) {
  const double each = time.seconds / static_cast<double>(std::max<std::int64_t>(1, time.updates));
  const std::string passes = time.passes < 100
                                 ? fmt::format("{:.3g}", time.passes)
                                 : grouped(static_cast<std::int64_t>(std::lround(time.passes)));
  return fmt::format("{} will take about {} ({:.3g} s an update, {} passes over the data){}",
                     time.is_rest ? "the rest" : "this", short_duration(time.seconds), each, passes,
                     time.can_be_shorter ? hint_of(time.seconds) : "");
}

std::vector<std::string> lines_of(const RunPlan& plan) {
  const std::string frozen =
      plan.frozen_parameters == 0
          ? ""
          : fmt::format(" ({} of them frozen)", short_count(plan.frozen_parameters));
  const std::string micro =
      plan.accumulate == 1 ? "" : fmt::format(", {} for each update", plan.accumulate);
  std::vector<std::string> lines{
      fmt::format("{}: {} parameters{}, vocabulary {}; {} {}", plan.model,
                  short_count(plan.parameters), frozen, vocabulary_text(plan),
                  grouped(plan.examples), plan.example_name),
      fmt::format("{}, {}{} thread{}, {}; batches of {} tokens{}{}", plan.device,
                  plan.ranks == 1 ? "" : fmt::format("{} ranks of ", plan.ranks), plan.threads,
                  plan.threads == 1 ? "" : "s", plan.precision, grouped(plan.batch_tokens), micro,
                  memory_text(plan)),
      course_text(plan)};
  if (plan.seconds > 0) {
    lines.push_back(line_of(RunTime{.seconds = plan.seconds,
                                    .passes = plan.passes,
                                    .updates = plan.updates - plan.first_update,
                                    .is_rest = plan.first_update > 0,
                                    .can_be_shorter = !plan.timed}));
  }
  return lines;
}

std::string short_rate(double rate) {
  return rate >= 1e-4 ? fmt::format("{:.2g}", rate) : fmt::format("{:.1e}", rate);
}

std::string line_of(const ProgressSummary& summary) {
  const UpdateReport& last = summary.last;
  const std::string total = last.updates > 0 ? fmt::format("/{}", grouped(last.updates)) : "";
  const std::string left =
      summary.seconds_left ? fmt::format("  {} left", short_duration(*summary.seconds_left)) : "";
  return fmt::format(
      "update {}{}  epoch {}  loss {:.4f}  ppl {:.4g}  {} tok/s  lr {}  gradient {:.3g}{}",
      grouped(last.update), total, last.epoch + 1, summary.loss, summary.perplexity(),
      grouped(static_cast<std::int64_t>(summary.tokens_per_second)), short_rate(last.learning_rate),
      summary.gradient_norm, left);
}

std::string line_of(const ValidationReport& report) {
  std::string figures;
  for (const ValidationFigure& figure : report.figures) {
    figures += fmt::format("  {} {:.2f}", figure.name, figure.value);
  }
  const std::string per_byte =
      report.nats_per_byte > 0 ? fmt::format("  {:.4f} nats/byte", report.nats_per_byte) : "";
  return fmt::format("{} at update {}: loss {:.4f}  ppl {:.4g}{}{}{}", report.set,
                     grouped(report.update), report.loss, report.perplexity(), per_byte, figures,
                     report.is_best ? "  best so far" : "");
}

std::string line_of(const FinishReport& report) {
  const std::string best =
      std::isnan(report.best_loss) ? ""
      : report.best_by == "loss"
          ? fmt::format("; best validation loss {:.4f} at update {}", report.best_loss,
                        grouped(report.best_update))
          : fmt::format("; best validation {} {:.2f} (loss {:.4f}) at update {}", report.best_by,
                        report.best_score, report.best_loss, grouped(report.best_update));
  const std::string output = report.output.string();
  if (report.interrupted) {
    return fmt::format(
        "interrupted and saved after update {}; go on with: yona train --output {} "
        "--resume",
        grouped(report.updates), output);
  }
  return fmt::format("{} after {} updates in {}{}; the model is in {}",
                     report.stopped_early ? "stopped early" : "done", grouped(report.updates),
                     short_duration(report.seconds), best, output);
}

LineReporter::LineReporter(Write write, std::int64_t log_every)
    : write_(std::move(write)), log_every_(log_every), meter_(log_every) {}

void LineReporter::started(const RunPlan& plan) {
  meter_.begin(plan.first_update);
  for (const std::string& line : lines_of(plan)) {
    write_(MessageLevel::info, line);
  }
}

void LineReporter::updated(const UpdateReport& report) {
  meter_.add(report);
  if (report.update % log_every_ == 0 || report.update == report.updates) {
    write_(MessageLevel::info, line_of(meter_.summary()));
  }
}

void LineReporter::validated(const ValidationReport& report) {
  write_(MessageLevel::info, line_of(report));
}

void LineReporter::saved(std::int64_t update, const std::filesystem::path& checkpoint) {
  write_(MessageLevel::info,
         fmt::format("saved update {} in {}", grouped(update), checkpoint.string()));
}

void LineReporter::message(MessageLevel level, std::string_view text) { write_(level, text); }

void LineReporter::finished(const FinishReport& report) {
  write_(MessageLevel::info, line_of(report));
}

}  // namespace yona
