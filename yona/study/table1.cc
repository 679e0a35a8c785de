// Table 1 of the paper, measured: a self-attention layer forward and backward, by length n and
// width d, next to the O(·) of the table. Layers of another kind (recurrent, convolutional) are one
// more entry in kLayerKinds and a function that makes the layer.

#include <array>
#include <memory>

#include <fmt/format.h>

#include "yona/base/random.h"
#include "yona/base/stop.h"
#include "yona/base/timing.h"
#include "yona/nn/block.h"
#include "yona/nn/parameters.h"
#include "yona/study/studies.h"

namespace yona {

namespace {

constexpr std::int64_t kRestricted = 128;  // r: keys that a query of restricted attention sees

// What the paper says of a kind of layer.
struct LayerKind {
  std::string_view name, complexity, sequential, path;
  AttentionKind attention;
};

constexpr std::array<LayerKind, 2> kLayerKinds{
    {{"self-attention", "O(n²·d)", "O(1)", "O(1)", AttentionKind::scaled},
     {"restricted self-attention", "O(r·n·d)", "O(1)", "O(n/r)", AttentionKind::window}}};

std::unique_ptr<SelfAttentionBlock> make_layer(const LayerKind& kind, std::int64_t width) {
  const std::int64_t heads = std::max<std::int64_t>(1, width / 64);
  const bool is_restricted = kind.attention == AttentionKind::window;
  return std::make_unique<SelfAttentionBlock>(BlockOptions{
      .d_model = width,
      .heads = {heads, width / heads, width / heads},
      .attention = {.kind = kind.attention, .sizes = {.window = is_restricted ? kRestricted : 0}}});
}

// One layer on one sentence, forward and backward.
class LayerProblem {
 public:
  LayerProblem(const LayerKind& kind, std::int64_t length, std::int64_t width,
               const StudySetting& setting)
      : layer_(make_layer(kind, width)),
        parameters_(*layer_, setting.backend, Gradients::yes),
        region_(setting.backend),
        c_{.region = region_, .tape = &tape_} {
    layer_->name_streams();
    parameters_.initialise(setting.seed);
    parameters_.zero_gradients();
    const std::array<std::int64_t, 2> offsets{0, length};
    std::vector<float> values(static_cast<std::size_t>(length * width));
    RandomSequence random(setting.seed);
    for (float& value : values) {
      value = static_cast<float>(random.uniform()) - 0.5F;
    }
    Tensor x(region_, DType::f32, Shape{length, width});
    x.upload(values);
    x.set_requires_gradient();
    x_ = {x, make_layout(offsets, {}, region_)};
  }

  void step() {
    const Ragged y = (*layer_)(x_, Mask::none, c_).sum(c_);
    c_.kernels().fill({.y = gradient_target(y.values, region_).view(), .value = 1.0F}, c_.exec());
    tape_.backward();
    c_.backend().synchronize();
  }
  std::int64_t peak_bytes() const { return region_.peak(); }

 private:
  std::unique_ptr<SelfAttentionBlock> layer_;
  Parameters parameters_;
  Region region_;
  Tape tape_;
  Context c_;
  Ragged x_;
};

Json measure_layer(const LayerKind& kind, std::int64_t length, std::int64_t width,
                   const StudySetting& setting) {
  LayerProblem problem(kind, length, width, setting);
  const double first = seconds_of([&] { problem.step(); });
  std::vector<double> times;
  for (int repeat = 0; repeat < (first > 1.0 ? 1 : 5); ++repeat) {
    check_stop(setting.stop, "study");
    times.push_back(seconds_of([&] { problem.step(); }));
  }
  return {{"layer", kind.name},
          {"length", length},
          {"width", width},
          {"ms", median(times) * 1e3},
          {"mb", static_cast<double>(problem.peak_bytes()) / (1024.0 * 1024.0)}};
}

// A line for each kind and width: `field` by length.
LinePlot layer_plot(const Json& points, const char* field, std::string title, std::string y_label) {
  LinePlot plot{std::move(title), "tokens n",     std::move(y_label),
                PlotScale::log,   PlotScale::log, {}};
  for (const auto& [name, point] : points.items()) {
    const std::string line = fmt::format("{}, d = {}", point["layer"].get<std::string>(),
                                         point["width"].get<std::int64_t>());
    auto found = std::find_if(plot.series.begin(), plot.series.end(),
                              [&](const PlotSeries& series) { return series.name == line; });
    if (found == plot.series.end()) {
      found = plot.series.insert(plot.series.end(), {line, {}});
    }
    found->points.emplace_back(point["length"].get<double>(), point[field].get<double>());
  }
  return plot;
}

// From which length on restricted attention is faster, by width.
std::vector<std::string> crossings(const Json& points) {
  std::vector<std::string> sentences;
  for (const auto& [name, point] : points.items()) {
    if (point["layer"] != kLayerKinds[0].name) {
      continue;
    }
    const std::string other =
        fmt::format("{} n={} d={}", kLayerKinds[1].name, point["length"].get<std::int64_t>(),
                    point["width"].get<std::int64_t>());
    if (points.contains(other)) {
      sentences.push_back(
          fmt::format("n = {}, d = {}: restricted attention (r = {}) takes {:.2f} of the time of "
                      "self-attention.",
                      point["length"].get<std::int64_t>(), point["width"].get<std::int64_t>(),
                      kRestricted, points[other]["ms"].get<double>() / point["ms"].get<double>()));
    }
  }
  return sentences;
}

StudyTable paper_table() {
  StudyTable table{{"layer", "complexity", "sequential operations", "longest path"}, {}};
  for (const LayerKind& kind : kLayerKinds) {
    table.rows.push_back({std::string(kind.name), std::string(kind.complexity),
                          std::string(kind.sequential), std::string(kind.path)});
  }
  return table;
}

}  // namespace

std::vector<StudyPoint> table1_points(const StudySetting& setting) {
  const std::vector<std::int64_t> lengths =
      setting.is_small() ? std::vector<std::int64_t>{64, 256}
                         : std::vector<std::int64_t>{128, 256, 512, 1024, 2048, 4096, 8192};
  const std::vector<std::int64_t> widths = setting.is_small()
                                               ? std::vector<std::int64_t>{64}
                                               : std::vector<std::int64_t>{128, 512, 1024};
  std::vector<StudyPoint> points;
  for (const LayerKind& kind : kLayerKinds) {
    for (const std::int64_t width : widths) {
      for (const std::int64_t length : lengths) {
        points.push_back({fmt::format("{} n={} d={}", kind.name, length, width),
                          [&kind, length, width, setting] {
                            return measure_layer(kind, length, width, setting);
                          }});
      }
    }
  }
  return points;
}

StudyPage table1_page(const Json& points) {
  StudyTable measured{{"layer", "tokens n", "width d", "ms forward and backward", "MB"}, {}};
  for (const auto& [name, point] : points.items()) {
    measured.rows.push_back({point["layer"].get<std::string>(),
                             fmt::format("{}", point["length"].get<std::int64_t>()),
                             fmt::format("{}", point["width"].get<std::int64_t>()),
                             fmt::format("{:.2f}", point["ms"].get<double>()),
                             fmt::format("{:.1f}", point["mb"].get<double>())});
  }
  return {"Table 1: time and memory of a layer",
          crossings(points),
          {layer_plot(points, "ms", "Time of a layer, forward and backward", "milliseconds"),
           layer_plot(points, "mb", "Memory of a layer", "MB")},
          {paper_table(), std::move(measured)}};
}

}  // namespace yona
