// What does an architecture forget with distance? Each learns to name the one symbol of another
// alphabet among noise (odd_symbol.h). By its distance from the ends: how often it is named, and
// how large the gradient of the loss is that reaches its embedding, before training and after it.

#include <cmath>

#include <fmt/format.h>

#include "yona/base/random.h"
#include "yona/study/contenders.h"
#include "yona/study/odd_symbol.h"
#include "yona/study/reversal.h"
#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

constexpr std::int64_t kFarthest = 32;

std::vector<std::int64_t> tested_distances() { return {1, 2, 4, 8, 16, 24, 32}; }

std::string distance_key(std::int64_t distance) { return fmt::format("{}", distance); }

Seq2SeqConfig forgetting_config() {
  Seq2SeqConfig config;
  config.source_vocabulary = config.target_vocabulary = kNoiseSymbols + kOddSymbols + 2;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 48;
  config.d_ff = 2 * config.d_model;
  config.heads = 4;
  config.dropout = 0.0;
  config.norm = NormPosition::pre;
  config.max_positions = 128;
  config.input_length = 2 * kFarthest + 2;
  config.tying = Tying::target;  // the gradient of the encoder's table is that of the source alone
  return config;
}

// The norm of the gradient at the embedding of the odd symbol, by distance: the root of the mean
// square over symbols.
Json gradient_by_distance(StudyRun& run, std::uint64_t seed) {
  Json norms = Json::object();
  for (const std::int64_t distance : tested_distances()) {
    run.accumulate(odd_symbol_batch(kOddSymbols, distance, distance, mix(seed, 1U << 30U)));
    const Tensor table = run.parameters().find("encoder.embedding.weight")->value.gradient();
    double squares = 0;
    for (const float g : table.row_range(kFirstOddSymbol, kOddSymbols).to_vector<float>()) {
      squares += static_cast<double>(g) * static_cast<double>(g);
    }
    // Each symbol has one sentence, of whose loss the batch's mean has one of kOddSymbols.
    norms[distance_key(distance)] = std::sqrt(squares * kOddSymbols);
  }
  return norms;
}

Json measure_forgetting(const ContenderRun& contender, const StudySetting& setting) {
  Seq2SeqObjective objective(contender.config, {.label_smoothing = 0.0});
  StudyRun run(objective, setting,
               {.updates = setting.is_small() ? 4 : 300, .rate = contender.rate}, contender.seed);
  const Json start = gradient_by_distance(run, contender.seed);
  run.train([&](std::int64_t update) {
    return odd_symbol_batch(32, 1, kFarthest,
                            mix(contender.seed, static_cast<std::uint64_t>(update)));
  });
  Json recall = Json::object();
  for (const std::int64_t distance : tested_distances()) {
    const Batch test =
        odd_symbol_batch(setting.is_small() ? 4 : 96, distance, distance, mix(contender.seed, 0));
    recall[distance_key(distance)] =
        reversal_accuracy(objective.model(), test, setting.backend).sequences;
  }
  const Batch all = odd_symbol_batch(64, 1, kFarthest, mix(contender.seed, 0));
  return {{"loss", run.loss(all)},
          {"recall", recall},
          {"gradient at the start", start},
          {"gradient", gradient_by_distance(run, contender.seed)}};
}

// A figure and a table of one of the measured fields, by distance.
struct ByDistance {
  LinePlot plot;
  StudyTable table;
};
ByDistance by_distance(const std::vector<BestRate>& best, const char* field, LinePlot plot) {
  StudyTable table{{"architecture", "rate"}, {}};
  for (const std::int64_t distance : tested_distances()) {
    table.columns.push_back(distance_key(distance));
  }
  for (const BestRate& contender : best) {
    PlotSeries series{contender.arch, {}};
    std::vector<std::string> row{contender.arch, fmt::format("{:g}", contender.rate)};
    for (const std::int64_t distance : tested_distances()) {
      const Spread spread = spread_of(contender.points, [&](const Json& point) {
        return point[field][distance_key(distance)].get<double>();
      });
      series.points.emplace_back(static_cast<double>(distance), spread.mean);
      row.push_back(plot.y_scale == PlotScale::log
                        ? fmt::format("{:.1e} ± {:.0e}", spread.mean, spread.deviation)
                        : spread.text());
    }
    plot.series.push_back(std::move(series));
    table.rows.push_back(std::move(row));
  }
  return {std::move(plot), std::move(table)};
}

double recall_at(const BestRate& contender, std::int64_t distance) {
  return spread_of(contender.points,
                   [&](const Json& point) {
                     return point["recall"][distance_key(distance)].get<double>();
                   })
      .mean;
}

// "lstm: 0.98 at 1, 0.10 at 32"
std::string recall_sentence(const std::vector<BestRate>& best) {
  const std::int64_t near = tested_distances().front();
  const std::int64_t far = tested_distances().back();
  std::string text = fmt::format("Recall at a distance of {} and of {}:", near, far);
  for (const BestRate& contender : best) {
    text += fmt::format(" {} {:.2f} and {:.2f};", contender.arch, recall_at(contender, near),
                        recall_at(contender, far));
  }
  text.back() = '.';
  return text;
}

// Does attention forget less than the plain lstm?
std::string kept_sentence(const std::vector<BestRate>& best) {
  const BestRate* transformer = find_contender(best, kTransformerName);
  const BestRate* lstm = find_contender(best, kPlainLstm);
  if (transformer == nullptr || lstm == nullptr) {
    return "";
  }
  const std::int64_t far = tested_distances().back();
  const double lead = recall_at(*transformer, far) - recall_at(*lstm, far);
  return fmt::format(
      "At a distance of {} the Transformer names {:.2f} of the symbols {} than the "
      "lstm without attention.",
      far, std::abs(lead), lead > 0 ? "more" : "less");
}

}  // namespace

std::vector<StudyPoint> forgetting_points(const StudySetting& setting) {
  return contender_points(setting, forgetting_config(), [setting](const ContenderRun& run) {
    return measure_forgetting(run, setting);
  });
}

StudyPage forgetting_page(const Json& points) {
  const std::vector<BestRate> best = best_rates(points, "loss");
  const auto plot = [](const char* title, const char* y, PlotScale scale) {
    return LinePlot{title, "distance in tokens", y, PlotScale::log, scale, {}};
  };
  ByDistance recall =
      by_distance(best, "recall", plot("Recall by distance", "share", PlotScale::linear));
  ByDistance start = by_distance(best, "gradient at the start",
                                 plot("Gradient before training", "norm", PlotScale::log));
  ByDistance trained =
      by_distance(best, "gradient", plot("Gradient after training", "norm", PlotScale::log));
  StudyPage page{"Forgetting",
                 {recall_sentence(best)},
                 {std::move(recall.plot), std::move(start.plot), std::move(trained.plot)},
                 {std::move(recall.table), std::move(start.table), std::move(trained.table)}};
  if (const std::string keeps = kept_sentence(best); !keeps.empty()) {
    page.findings.push_back(keeps);
  }
  page.notes = {
      fmt::format("One symbol of another alphabet has the same number of noise symbols, its "
                  "distance, before and behind it. The target is that symbol. Training "
                  "distances: 1 to {}. Chance is 1/{}. Architectures have parameters within "
                  "10 % of the Transformer's and the learning rate of the grid with the lowest "
                  "loss. Mean over seeds ± standard deviation.",
                  kFarthest, kOddSymbols),
      "The gradient is that of the loss by the symbol's embedding. A trained model that names "
      "the symbol with certainty has little gradient left: read it next to the recall."};
  return page;
}

}  // namespace yona
