// Table 1 of the paper, measured: layers by length n and width d, next to the O(·) of the table.
// Two kinds of points: how information flows in a layer (layer_structure.h), and what the layer
// costs (layer_costs.h).

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "yona/study/curves.h"
#include "yona/study/layer_costs.h"
#include "yona/study/layer_structure.h"
#include "yona/study/studies.h"

namespace yona {

namespace {

// Tokens of the sentence on which the structure is found: 1 + 1 + 3 + 9 + 27 + 81, what a stack of
// five dilated convolutions spans.
constexpr std::int64_t kStructureLength = 122;

struct LayerSizes {
  std::vector<std::int64_t> widths, lengths;
};

LayerSizes layer_sizes(const StudySetting& setting) {
  return setting.is_small() ? LayerSizes{{32, 64}, {64, 128, 256}}
                            : LayerSizes{{128, 512, 1024}, {128, 256, 512, 1024, 2048, 4096, 8192}};
}

Json measured_structure(const LayerKind& kind, std::int64_t length) {
  const LayerStructure structure = layer_structure(kind, length);
  return {{"layer", kind.name},
          {"structure of", structure.length},
          {"calls of half", structure.half_calls},
          {"calls", structure.calls},
          {"sequential", structure.sequential()},
          {"layers", structure.layers},
          {"path", structure.path()}};
}

Json measured_costs(const LayerKind& kind, std::int64_t length, std::int64_t width,
                    const StudySetting& setting) {
  const LayerCosts costs = layer_costs(kind, length, width, setting);
  return {{"layer", kind.name},      {"length", length},        {"width", width},
          {"ms", costs.training_ms}, {"mb", costs.training_mb}, {"decoding us", costs.decoding_us}};
}

bool is_cost(const Json& point) { return point.contains("ms"); }

std::set<std::int64_t> measured_widths(const Json& points) {
  std::set<std::int64_t> widths;
  for (const auto& [name, point] : points.items()) {
    if (is_cost(point)) {
      widths.insert(point["width"].get<std::int64_t>());
    }
  }
  return widths;
}

// A field of a layer's points of one width, by length.
Curve cost_curve(const Json& points, std::string_view layer, std::int64_t width,
                 const char* field) {
  Curve curve;
  for (const auto& [name, point] : points.items()) {
    if (is_cost(point) && point["layer"] == layer && point["width"] == width) {
      curve.emplace_back(point["length"].get<double>(), point[field].get<double>());
    }
  }
  std::sort(curve.begin(), curve.end());
  return curve;
}

struct CostField {
  const char* field;
  std::string_view title, unit;
};
constexpr CostField kTraining{"ms", "Training step", "milliseconds"};
constexpr CostField kDecoding{"decoding us", "Decoding, one token", "microseconds"};
constexpr CostField kMemory{"mb", "Memory of a training step", "MB"};

LinePlot cost_plot(const Json& points, std::int64_t width, const CostField& field) {
  LinePlot plot{fmt::format("{}, d = {}", field.title, width),
                "tokens n",
                std::string(field.unit),
                PlotScale::log,
                PlotScale::log,
                {}};
  for (const LayerKind& kind : layer_kinds()) {
    plot.series.push_back(
        {std::string(kind.name), cost_curve(points, kind.name, width, field.field)});
  }
  return plot;
}

std::string against_attention(const Json& points, std::string_view layer, std::int64_t width,
                              const CostField& field) {
  const Crossing found = crossing(cost_curve(points, layer, width, field.field),
                                  cost_curve(points, kSelfAttention, width, field.field));
  return fmt::format("{}, d = {}: {} {}.", field.title, width, layer, crossing_text(found));
}

std::string growth_sentence(const Json& points, std::int64_t width) {
  constexpr double kLinear = 1.2;  // measured times are not exact
  std::string text = fmt::format("With d = {} the time of a training step grows like", width);
  Growth growth;
  for (const LayerKind& kind : layer_kinds()) {
    growth = growth_of(cost_curve(points, kind.name, width, kTraining.field));
    text += fmt::format(" n^{:.2f} for {}{},", growth.exponent, kind.name,
                        growth.exponent < kLinear ? "" : ", more than linear");
  }
  text.back() = ' ';
  return text + fmt::format("(from n = {:.0f} to {:.0f}).", growth.first, growth.last);
}

std::vector<std::string> findings(const Json& points) {
  std::vector<std::string> sentences;
  for (const std::int64_t width : measured_widths(points)) {
    sentences.push_back(
        against_attention(points, kRecurrence, width, kTraining) +
        fmt::format(" By the O(·) of the table it would be so from n = d = {} on.", width));
    sentences.push_back(against_attention(points, kRecurrence, width, kDecoding));
    sentences.push_back(against_attention(points, kRestrictedAttention, width, kTraining) +
                        fmt::format(" It sees r = {} keys.", kRestrictedKeys));
    sentences.push_back(growth_sentence(points, width));
  }
  return sentences;
}

// The table of the paper, and next to each entry what was found.
StudyTable structure_table(const Json& points) {
  StudyTable table{{"layer", "complexity", "sequential operations", "measured", "longest path",
                    "measured", "layers from the first to the last", "kernels, n/2 and n tokens"},
                   {}};
  for (const LayerKind& kind : layer_kinds()) {
    for (const auto& [name, point] : points.items()) {
      if (is_cost(point) || point["layer"] != kind.name) {
        continue;
      }
      const auto number = [&point = point](const char* field) {
        return fmt::format("{}", point[field].get<std::int64_t>());
      };
      table.rows.push_back({std::string(kind.name), std::string(kind.complexity),
                            std::string(kind.sequential), number("sequential"),
                            std::string(kind.path), number("path"), number("layers"),
                            fmt::format("{} and {}", number("calls of half"), number("calls"))});
    }
  }
  return table;
}

StudyTable cost_table(const Json& points) {
  StudyTable table{{"layer", "width d", "tokens n", "ms per training step", "tokens/s in training",
                    "µs per decoded token", "MB of a training step"},
                   {}};
  for (const LayerKind& kind : layer_kinds()) {
    for (const std::int64_t width : measured_widths(points)) {
      const Curve decoding = cost_curve(points, kind.name, width, kDecoding.field);
      const Curve memory = cost_curve(points, kind.name, width, kMemory.field);
      const Curve training = cost_curve(points, kind.name, width, kTraining.field);
      for (std::size_t i = 0; i < training.size(); ++i) {
        const auto& [length, ms] = training[i];
        table.rows.push_back(
            {std::string(kind.name), fmt::format("{}", width), fmt::format("{:.0f}", length),
             fmt::format("{:.2f}", ms), fmt::format("{:.0f}", length / ms * 1e3),
             fmt::format("{:.1f}", decoding[i].second), fmt::format("{:.1f}", memory[i].second)});
      }
    }
  }
  return table;
}

}  // namespace

std::vector<StudyPoint> table1_points(const StudySetting& setting) {
  const LayerSizes sizes = layer_sizes(setting);
  std::vector<StudyPoint> points;
  for (const LayerKind& kind : layer_kinds()) {
    points.push_back({fmt::format("{} structure", kind.name),
                      [&kind] { return measured_structure(kind, kStructureLength); }});
  }
  for (const std::int64_t width : sizes.widths) {
    for (const std::int64_t length : sizes.lengths) {
      for (const LayerKind& kind : layer_kinds()) {
        points.push_back({fmt::format("{} n={} d={}", kind.name, length, width),
                          [&kind, length, width, setting] {
                            return measured_costs(kind, length, width, setting);
                          }});
      }
    }
  }
  return points;
}

StudyPage table1_page(const Json& points) {
  StudyPage page{"Table 1: time, memory and paths of a layer",
                 findings(points),
                 {},
                 {structure_table(points), cost_table(points)}};
  page.notes = {
      fmt::format(
          "Each layer reads one sentence of n tokens. The projections of attention are part "
          "of it; a residual connection and a norm, which all would have, are not. "
          "Restricted self-attention sees r = {} keys, convolutions k = {} tokens; the "
          "dilation of the dilated one is {}.",
          kRestrictedKeys, kKernelWidth, kKernelWidth * kKernelWidth),
      fmt::format("Sequential operations and the longest path are measured with n = {}: kernels of "
                  "a forward pass that run one after another, and how far back the gradient of "
                  "the last token reaches. The path is from the first token to the last.",
                  kStructureLength),
      "A decoded token is the n-th; those before it are in the cache. Memory is that of "
      "activations and gradients, without the weights."};
  for (const CostField& field : {kTraining, kDecoding, kMemory}) {
    for (const std::int64_t width : measured_widths(points)) {
      page.plots.push_back(cost_plot(points, width, field));
    }
  }
  return page;
}

}  // namespace yona
