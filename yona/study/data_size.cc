// Does the Transformer lose on little data? It and an RNN with attention are trained on the first
// pairs of one corpus, each size for the same number of updates, and translate the same test set.

#include <cstdint>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/translation.h"

namespace yona {

namespace {

std::vector<std::int64_t> training_sizes(const StudySetting& setting) {
  if (setting.is_small()) {
    return {100, 200};
  }
  std::vector<std::int64_t> sizes{1000, 2000, 4000, 8000, 16000};
  if (!setting.backend.on_host()) {
    sizes.insert(sizes.end(), {32000, 64000, 125000, 250000, 500000});
  }
  return sizes;
}

}  // namespace

std::vector<StudyPoint> data_size_points(const StudySetting& setting) {
  const std::vector<std::int64_t> sizes = training_sizes(setting);
  const auto corpus = std::make_shared<const WordPairs>(
      WordPairs::Sizes{.training = sizes.back(), .validation = 100, .test = 200}, WordPairs::kSeed);
  std::vector<StudyPoint> points;
  for (const std::int64_t pairs : sizes) {
    const std::vector<StudyPoint> of_size = contender_points(
        setting, translation_config(*corpus),
        [corpus, pairs, setting](const ContenderRun& run) {
          return measure_translation(run, {corpus, pairs, setting.is_small() ? 4 : 600}, setting);
        },
        {.contenders = contenders().first(2), .prefix = fmt::format("pairs={} ", pairs)});
    points.insert(points.end(), of_size.begin(), of_size.end());
  }
  return points;
}

StudyPage data_size_page(const Json& points) {
  std::map<std::int64_t, Json> by_size;
  for (const auto& [name, point] : points.items()) {
    by_size[point["pairs"].get<std::int64_t>()][name] = point;
  }
  std::map<std::string, PlotSeries> series;
  StudyTable table{{"pairs", "architecture", "rate", "loss", "BLEU"}, {}};
  for (const auto& [pairs, of_size] : by_size) {
    for (const BestRate& best : best_rates(of_size, "loss")) {
      const auto spread = [&best](const char* field) {
        return spread_of(best.points,
                         [field](const Json& point) { return point[field].get<double>(); });
      };
      const Spread bleu = spread("bleu");
      table.rows.push_back({fmt::format("{}", pairs), best.arch, fmt::format("{:g}", best.rate),
                            spread("loss").text(),
                            fmt::format("{:.1f} ± {:.1f}", bleu.mean, bleu.deviation)});
      series[best.arch].points.emplace_back(static_cast<double>(pairs), bleu.mean);
    }
  }
  LinePlot plot{"BLEU by the size of the training set",
                "pairs",
                "BLEU",
                PlotScale::log,
                PlotScale::linear,
                {}};
  for (auto& [arch, line] : series) {
    line.name = arch;
    plot.series.push_back(line);
  }
  return {
      "Data size",
      {"English numbers, prices, times and dates are translated into French, word by word, by "
       "greedy search. Each size is the first pairs of one corpus; vocabulary, updates and test "
       "set are the same. Test items hold combinations of digits that no training item has. "
       "Parameters are within 10 %, the learning rate is that of the grid with the lowest loss "
       "on held-out pairs. Mean over seeds ± standard deviation."},
      {std::move(plot)},
      {std::move(table)}};
}

}  // namespace yona
