// What positions are worth: Transformers that differ in their positions alone learn to write a
// sequence backwards, and are tested at lengths that they have seen and at longer ones. Three
// seeds.

#include <optional>

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/study/reversal.h"
#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

constexpr std::int64_t kShortest = 2, kLongest = 16;  // of the training set

std::vector<std::int64_t> tested_lengths() { return {4, 8, 12, 16, 18, 20, 24, 32}; }

Json measure_positions(PositionKind kind, std::uint64_t seed, const StudySetting& setting) {
  TransformerConfig config = reversal_config(setting);
  config.positions = kind;
  Seq2SeqObjective objective(config, {.label_smoothing = 0.0});
  StudyRun run(objective, setting, {.updates = setting.is_small() ? 4 : 1000}, seed);
  run.train([&](std::int64_t update) {
    return reversal_batch(64, kShortest, kLongest, mix(seed, static_cast<std::uint64_t>(update)));
  });
  Json accuracy = Json::object();
  for (const std::int64_t length : tested_lengths()) {
    const Batch test = reversal_batch(setting.is_small() ? 4 : 100, length, length, mix(seed, 0));
    const ReversalAccuracy measured = reversal_accuracy(objective.model(), test, setting.backend);
    accuracy[fmt::format("{}", length)] = measured.symbols;
  }
  return {{"positions", enum_name(kind)}, {"seed", seed}, {"accuracy", accuracy}};
}

constexpr double kLearned = 0.5;  // of the symbols: a model that has less says nothing

using PositionGroups = std::vector<std::pair<std::string, std::vector<Json>>>;

Spread accuracy_at(const std::vector<Json>& of_seeds, std::int64_t length) {
  return spread_of(of_seeds, [&](const Json& point) {
    return point["accuracy"][fmt::format("{}", length)].get<double>();
  });
}

// At the longest training length: is word order lost without positions?
std::string order_sentence(const PositionGroups& groups) {
  constexpr double kLost = 0.5;  // of what the best kind has
  const std::string none(enum_name(PositionKind::none));
  std::optional<double> without;
  std::string best;
  double right = 0;
  for (const auto& [kind, of_seeds] : groups) {
    const double mean = accuracy_at(of_seeds, kLongest).mean;
    if (kind == none) {
      without = mean;
    } else if (best.empty() || mean > right) {
      best = kind;
      right = mean;
    }
  }
  if (!without || best.empty()) {
    return "";
  }
  const std::string verdict = right < kLearned           ? "none of them has learned the task"
                              : *without < kLost * right ? "word order is lost without them"
                                                         : "word order is not lost without them";
  return fmt::format(
      "Without positions {:.2f} of the symbols are right at length {}, with the best of the kinds, "
      "{}, {:.2f}: {}.",
      *without, kLongest, best, right, verdict);
}

std::string beyond_sentence(const PositionGroups& groups) {
  constexpr double kKept = 0.9;
  const std::int64_t beyond = tested_lengths().back();
  std::string text =
      fmt::format("From length {}, the longest in training, to {}:", kLongest, beyond);
  std::string kept;
  for (const auto& [kind, of_seeds] : groups) {
    const double at_end = accuracy_at(of_seeds, kLongest).mean;
    const double after = accuracy_at(of_seeds, beyond).mean;
    text += fmt::format(" {} goes from {:.2f} to {:.2f},", kind, at_end, after);
    if (kind != enum_name(PositionKind::none) && at_end >= kLearned && after >= kKept * at_end) {
      kept += (kept.empty() ? "" : ", ") + kind;
    }
  }
  text.back() = '.';
  return text + (kept.empty() ? " None of the positions works beyond the training length."
                              : fmt::format(" Working beyond it: {}.", kept));
}

}  // namespace

std::vector<StudyPoint> positions_points(const StudySetting& setting) {
  std::vector<StudyPoint> points;
  for (const std::uint64_t seed : study_seeds(setting)) {
    for (const PositionKind kind :
         {PositionKind::none, PositionKind::learned, PositionKind::sinusoidal,
          PositionKind::relative, PositionKind::rotary}) {
      points.push_back({fmt::format("{} seed={}", enum_name(kind), seed),
                        [kind, seed, setting] { return measure_positions(kind, seed, setting); }});
    }
  }
  return points;
}

StudyPage positions_page(const Json& points) {
  LinePlot plot{"Symbols that are right, by length",
                "length",
                "share",
                PlotScale::linear,
                PlotScale::linear,
                {}};
  StudyTable table{{"positions"}, {}};
  for (const std::int64_t length : tested_lengths()) {
    table.columns.push_back(fmt::format("{}", length));
  }
  const PositionGroups groups = grouped_points(points, "positions");
  for (const auto& [kind, of_seeds] : groups) {
    PlotSeries series{kind, {}};
    std::vector<std::string> row{kind};
    for (const std::int64_t length : tested_lengths()) {
      const Spread spread = accuracy_at(of_seeds, length);
      series.points.emplace_back(static_cast<double>(length), spread.mean);
      row.push_back(spread.text());
    }
    plot.series.push_back(std::move(series));
    table.rows.push_back(std::move(row));
  }
  StudyPage page{"Positions", {}, {std::move(plot)}, {std::move(table)}};
  if (const std::string order = order_sentence(groups); !order.empty()) {
    page.findings = {order, beyond_sentence(groups)};
  }
  page.notes = {
      fmt::format("Sequences of {} symbols are written backwards by greedy search. "
                  "Training lengths: {} to {}; a symbol counts when it is right at its "
                  "place. Mean over seeds ± standard deviation; chance is 1/{}.",
                  kReversalSymbols, kShortest, kLongest, kReversalSymbols)};
  return page;
}

}  // namespace yona
