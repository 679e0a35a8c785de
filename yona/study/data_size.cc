// Does the Transformer lose on little data? It and an RNN with attention are trained on the first
// pairs of one corpus, each size for the same number of updates, and translate the same test set.

#include <algorithm>
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

using SizeCurve = std::vector<std::pair<double, double>>;  // pairs and BLEU

// Sizes that both have: from which one on is the Transformer ahead?
std::string lead_sentence(const SizeCurve& transformer, const SizeCurve& lstm) {
  const std::size_t sizes = std::min(transformer.size(), lstm.size());
  if (sizes == 0) {
    return "";
  }
  std::size_t ahead = sizes;  // the first of those in a row, up to the last, where it is
  while (ahead > 0 && transformer[ahead - 1].second > lstm[ahead - 1].second) {
    --ahead;
  }
  std::string verdict = "it is behind or level at the largest set";
  if (ahead == 0) {
    verdict = "it does not lose on little data: it is ahead at every size";
  } else if (ahead < sizes) {
    verdict = fmt::format("it loses on little data and is ahead from {:.0f} pairs on",
                          transformer[ahead].first);
  }
  const auto difference = [&](std::size_t i) { return transformer[i].second - lstm[i].second; };
  return fmt::format(
      "The Transformer's BLEU is {:+.1f} from that of the lstm with attention at {:.0f} pairs and "
      "{:+.1f} at {:.0f}: {}.",
      difference(0), transformer[0].first, difference(sizes - 1), transformer[sizes - 1].first,
      verdict);
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
      const Spread bleu = spread_of(best, "bleu");
      table.rows.push_back({fmt::format("{}", pairs), best.arch, fmt::format("{:g}", best.rate),
                            spread_of(best, "loss").text(),
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
  StudyPage page{"Data size", {}, {std::move(plot)}, {std::move(table)}};
  const auto curve = [&](std::string_view arch) { return series[std::string(arch)].points; };
  if (const std::string lead = lead_sentence(curve(kTransformerName), curve(kLstmWithAttention));
      !lead.empty()) {
    page.findings = {lead};
  }
  page.notes = {
      "English numbers, prices, times and dates are translated into French, word by word, by "
      "greedy search. Each size is the first pairs of one corpus; vocabulary, updates and test "
      "set are the same. Test items hold combinations of digits that no training item has. "
      "Parameters are within 10 %, the learning rate is that of the grid with the lowest loss "
      "on held-out pairs. Mean over seeds ± standard deviation."};
  return page;
}

}  // namespace yona
