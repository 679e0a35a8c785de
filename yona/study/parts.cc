// What each part of the Transformer is worth: models that lack one part, or have another in its
// place, learn to write a sequence backwards. Time and memory of an update say what the part costs.
// Three seeds.

#include <array>

#include <fmt/format.h>

#include "yona/study/reversal.h"
#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

struct PartChange {
  std::string_view name;
  void (*change)(TransformerConfig& config);
};

constexpr std::array<PartChange, 8> kPartChanges{
    {{"all parts", [](TransformerConfig& /*config*/) {}},
     {"no 1/√d_k", [](TransformerConfig& config) { config.attention = AttentionKind::unscaled; }},
     {"additive instead of dot product",
      [](TransformerConfig& config) { config.attention = AttentionKind::additive; }},
     {"no causal mask",
      [](TransformerConfig& config) { config.missing = MissingPart::causal_mask; }},
     {"no residual", [](TransformerConfig& config) { config.missing = MissingPart::residual; }},
     {"no positions", [](TransformerConfig& config) { config.positions = PositionKind::none; }},
     {"batch norm for layer norm",
      [](TransformerConfig& config) { config.departures.norm_kind = NormKind::batch; }},
     {"one head", [](TransformerConfig& config) { config.heads = 1; }}}};

Json measure_part(const PartChange& part, std::uint64_t seed, const StudySetting& setting) {
  TransformerConfig config = reversal_config(setting);
  part.change(config);
  Seq2SeqObjective objective(config, {.label_smoothing = 0.0});
  StudyRun run(objective, setting, {.updates = setting.is_small() ? 4 : 800}, seed);
  run.train([&](std::int64_t update) {
    return reversal_batch(64, 2, 16, mix(seed, static_cast<std::uint64_t>(update)));
  });
  const Batch test = reversal_batch(setting.is_small() ? 4 : 200, 2, 16, mix(seed, 0));
  const ReversalAccuracy accuracy = reversal_accuracy(objective.model(), test, setting.backend);
  return {{"part", part.name},
          {"seed", seed},
          {"loss", run.loss(test)},
          {"symbols", accuracy.symbols},
          {"sequences", accuracy.sequences},
          {"ms", run.seconds_per_update() * 1e3},
          {"mb", static_cast<double>(run.peak_bytes()) / (1024.0 * 1024.0)}};
}

}  // namespace

std::vector<StudyPoint> parts_points(const StudySetting& setting) {
  std::vector<StudyPoint> points;
  for (const std::uint64_t seed : study_seeds(setting)) {
    for (const PartChange& part : kPartChanges) {
      points.push_back({fmt::format("{} seed={}", part.name, seed),
                        [&part, seed, setting] { return measure_part(part, seed, setting); }});
    }
  }
  return points;
}

StudyPage parts_page(const Json& points) {
  StudyTable table{{"model", "loss", "symbols right", "sequences right", "ms per update", "MB"},
                   {}};
  for (const auto& [part, of_seeds] : grouped_points(points, "part")) {
    const auto spread = [&seeds = of_seeds](const char* field) {
      return spread_of(seeds, [field](const Json& point) { return point[field].get<double>(); });
    };
    table.rows.push_back({part, spread("loss").text(), spread("symbols").text(),
                          spread("sequences").text(), fmt::format("{:.1f}", spread("ms").mean),
                          fmt::format("{:.1f}", spread("mb").mean)});
  }
  return {"Parts",
          {"Each model is trained for the same updates to write sequences of up to 16 symbols "
           "backwards, and tested by greedy search. The loss is that of the next symbol after the "
           "right ones: without a causal mask the model sees what it should predict, its loss is "
           "low, and its own sequences are wrong. Mean over seeds ± standard deviation."},
          {},
          {std::move(table)}};
}

}  // namespace yona
