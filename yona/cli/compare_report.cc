#include "yona/cli/compare_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/timing.h"

namespace yona::cli {

namespace {

constexpr double kTie = 1e-4;  // of the scores, relative where they are above 1

double tokens_per_second(const EngineResult& engine) {
  return static_cast<double>(engine.tokens()) / median(engine.seconds);
}

double lines_per_second(const EngineResult& engine) {
  return static_cast<double>(engine.answers.size()) / median(engine.seconds);
}

std::string row(const EngineResult& engine) {
  return fmt::format("{:<22} {:<12} {:>9} {:>9} {:>9.2f} {:>8.0f}", engine.name, engine.search,
                     grouped(std::llround(lines_per_second(engine))),
                     grouped(std::llround(tokens_per_second(engine))), engine.start_s,
                     engine.mem_mb);
}

std::string agreement_text(const Agreement& agreement) {
  if (agreement.same == agreement.lines) {
    return "all outputs the same";
  }
  std::string text =
      fmt::format("{} of {} outputs the same", grouped(agreement.same), grouped(agreement.lines));
  if (agreement.near_ties > 0) {
    text += fmt::format(", {} near ties", agreement.near_ties);
  }
  if (agreement.differ > 0) {
    text += fmt::format(", {} differ", agreement.differ);
  }
  return text;
}

// 13.75, 0.22, 0.04, 0.001: two decimals say nothing of a start in a thousandth of the time.
std::string ratio_text(double ratio) {
  return ratio >= 0.1 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.1g}", ratio);
}

std::string comparison_lines(const Comparison& comparison) {
  if (!comparison.peer) {
    return row(comparison.yona) + "\n";
  }
  const EngineResult& peer = *comparison.peer;
  return fmt::format(
      "{}\n{}\n  yona: {} x the speed, {} x the memory, starts in {} x the time; {}\n",
      row(comparison.yona), row(peer),
      ratio_text(median(peer.seconds) / median(comparison.yona.seconds)),
      ratio_text(comparison.yona.mem_mb / peer.mem_mb),
      ratio_text(comparison.yona.start_s / peer.start_s),
      agreement_text(agreement(comparison.yona.answers, peer.answers)));
}

Json json_of(const EngineResult& engine) {
  return {{"engine", engine.name},
          {"lines_s", lines_per_second(engine)},
          {"tok_s", tokens_per_second(engine)},
          {"tokens", engine.tokens()},
          {"ms", median(engine.seconds) * 1e3},
          {"seconds", engine.seconds},
          {"first_s", engine.start_s},
          {"mem_mb", engine.mem_mb}};
}

}  // namespace

Agreement agreement(const std::vector<CompareAnswer>& ours,
                    const std::vector<CompareAnswer>& theirs) {
  check<FormatError>(ours.size() == theirs.size(), "compare: {} answers were asked for, {} came",
                     ours.size(), theirs.size());
  Agreement found{.lines = static_cast<std::int64_t>(ours.size())};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const bool is_tie = ours[i].score && theirs[i].score &&
                        std::abs(*ours[i].score - *theirs[i].score) <=
                            kTie * std::max(1.0, std::abs(*ours[i].score));
    ++(ours[i].ids == theirs[i].ids ? found.same : is_tie ? found.near_ties : found.differ);
  }
  return found;
}

std::string compare_table(const CompareReport& report) {
  const CompareJob& job = report.job;
  std::string text = fmt::format(
      "{} of {}; beam {}, batches of {}, at most {} tokens{}; {}, {}; medians of {}\n\n"
      "{:<22} {:<12} {:>9} {:>9} {:>9} {:>8}\n",
      counted(job.sources.size(), "line"), report.input, job.beam, job.batch, job.max_length,
      job.scores ? "" : ", no scores", counted(static_cast<std::uint64_t>(job.threads), "thread"),
      job.compute_type, counted(static_cast<std::uint64_t>(report.rounds), "round"), "engine",
      "search", "lines/s", "tokens/s", "start s", "peak MB");
  for (const Comparison& comparison : report.comparisons) {
    text += comparison_lines(comparison);
  }
  for (const std::string& reason : report.left_out) {
    text += fmt::format("left out: {}\n", reason);
  }
  return text;
}

Json compare_json(const CompareReport& report) {
  const CompareJob& job = report.job;
  Json comparisons = Json::array();
  for (const Comparison& comparison : report.comparisons) {
    Json entry{{"search", comparison.yona.search}, {"yona", json_of(comparison.yona)}};
    if (comparison.peer) {
      const Agreement found = agreement(comparison.yona.answers, comparison.peer->answers);
      entry["peer"] = json_of(*comparison.peer);
      entry["speed_ratio"] = median(comparison.peer->seconds) / median(comparison.yona.seconds);
      entry["same"] = found.same;
      entry["near_ties"] = found.near_ties;
      entry["differ"] = found.differ;
    }
    comparisons.push_back(std::move(entry));
  }
  return {{"model", job.model.string()},
          {"input", report.input},
          {"lines", job.sources.size()},
          {"beam", job.beam},
          {"batch", job.batch},
          {"max_length", job.max_length},
          {"threads", job.threads},
          {"compute_type", job.compute_type},
          {"scores", job.scores},
          {"rounds", report.rounds},
          {"comparisons", std::move(comparisons)},
          {"left_out", report.left_out}};
}

}  // namespace yona::cli
