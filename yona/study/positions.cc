// What positions are worth: Transformers that differ in their positions alone learn to write a
// sequence backwards, and are tested at lengths that they have seen and at longer ones. Three
// seeds.

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
  for (const auto& [kind, of_seeds] : grouped_points(points, "positions")) {
    PlotSeries series{kind, {}};
    std::vector<std::string> row{kind};
    for (const std::int64_t length : tested_lengths()) {
      const Spread spread = spread_of(of_seeds, [&](const Json& point) {
        return point["accuracy"][fmt::format("{}", length)].get<double>();
      });
      series.points.emplace_back(static_cast<double>(length), spread.mean);
      row.push_back(spread.text());
    }
    plot.series.push_back(std::move(series));
    table.rows.push_back(std::move(row));
  }
  return {"Positions",
          {fmt::format("Sequences of {} symbols are written backwards by greedy search. Training "
                       "lengths: {} to {}; a symbol counts when it is right at its place. Mean "
                       "over seeds ± standard deviation; chance is 1/{}.",
                       kReversalSymbols, kShortest, kLongest, kReversalSymbols)},
          {std::move(plot)},
          {std::move(table)}};
}

}  // namespace yona
