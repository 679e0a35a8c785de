// What the cheaper attentions give up: encoders that differ in their attention alone are trained on
// tasks of several lengths. Accuracy, time of an update, and its memory.

#include <array>

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/data/labelled_texts.h"
#include "yona/models/bert.h"
#include "yona/study/list_ops.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/classification/classification_objective.h"

namespace yona {

namespace {

constexpr std::array<AttentionKind, 8> kComparedKinds{
    AttentionKind::scaled,    AttentionKind::window, AttentionKind::dilated,
    AttentionKind::blocks,    AttentionKind::sparse, AttentionKind::linformer,
    AttentionKind::performer, AttentionKind::lambda};

BertConfig long_config(AttentionKind kind, std::int64_t length, const StudySetting& setting) {
  BertConfig config;
  config.vocabulary = kLongTaskVocabulary;
  config.labels = kLongTaskLabels;
  config.layers = 2;
  config.d_model = setting.is_small() ? 16 : 64;
  config.d_ff = 2 * config.d_model;
  config.heads = 2;
  config.dropout = config.attention_dropout = config.classifier_dropout = 0.0;
  config.norm = NormPosition::pre;
  config.max_positions = length;
  config.token_types = 0;
  config.text_vector = TextVector::mean;
  config.attention = kind;
  const bool has_window = kind == AttentionKind::window || kind == AttentionKind::dilated ||
                          kind == AttentionKind::lambda;
  config.attention_sizes = {.window = has_window ? 32 : 0,
                            .dilation = 4,
                            .block = 32,
                            .global_blocks = 1,
                            .random_blocks = 1,
                            .projected_keys = 32,
                            .features = 64};
  return config;
}

double label_accuracy(const Bert& model, const Batch& batch, Backend& backend) {
  Region region(backend);
  Context c{.region = region};
  const Side& text = batch.sides[kText];
  const BertInput input =
      model.input({.ids = text.ids, .offsets = text.offsets, .types = {}, .text_ids = {}}, region);
  const Tensor logits =
      logits_of(model.text_vectors(input, model.states(input, c), c), model.classifier(), c);
  const auto scores = logits.to_vector<float>();
  const std::vector<std::int32_t>& labels = batch.sides[kLabel].ids;
  double right = 0;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(s) * kLongTaskLabels;
    right += std::max_element(row, row + kLongTaskLabels) - row == labels[s] ? 1 : 0;
  }
  return right / static_cast<double>(labels.size());
}

Json measure_long(LongTask task, AttentionKind kind, std::int64_t length,
                  const StudySetting& setting) {
  const std::int64_t texts = std::max<std::int64_t>(2, 4096 / length);
  ClassificationObjective objective(long_config(kind, length, setting), {});
  StudyRun run(objective, setting, {.updates = setting.is_small() ? 3 : 300}, setting.seed);
  run.train([&](std::int64_t update) {
    return long_batch(task, texts, length, mix(setting.seed, static_cast<std::uint64_t>(update)));
  });
  const Batch test = long_batch(task, setting.is_small() ? 8 : 256, length, mix(setting.seed, 0));
  return {{"task", name_of(task)},
          {"attention", enum_name(kind)},
          {"length", length},
          {"accuracy", label_accuracy(objective.model(), test, setting.backend)},
          {"ms", run.seconds_per_update() * 1e3},
          {"mb", static_cast<double>(run.peak_bytes()) / (1024.0 * 1024.0)}};
}

LinePlot long_plot(const Json& points, std::string_view task, const char* field,
                   std::string y_label, PlotScale y_scale) {
  LinePlot plot{fmt::format("{}: {} by length", task, field),
                "tokens",
                std::move(y_label),
                PlotScale::log,
                y_scale,
                {}};
  for (const AttentionKind kind : kComparedKinds) {
    PlotSeries series{std::string(enum_name(kind)), {}};
    for (const auto& [name, point] : points.items()) {
      if (point["task"] == task && point["attention"] == series.name) {
        series.points.emplace_back(point["length"].get<double>(), point[field].get<double>());
      }
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

std::vector<StudyPoint> long_range_points(const StudySetting& setting) {
  const std::vector<std::int64_t> lengths = setting.is_small()
                                                ? std::vector<std::int64_t>{64}
                                                : std::vector<std::int64_t>{128, 512, 2048};
  std::vector<StudyPoint> points;
  for (const std::int64_t length : lengths) {
    for (const LongTask task : {LongTask::list_ops, LongTask::recall}) {
      for (const AttentionKind kind : kComparedKinds) {
        points.push_back(
            {fmt::format("{} {} {}", name_of(task), enum_name(kind), length),
             [task, kind, length, setting] { return measure_long(task, kind, length, setting); }});
      }
    }
  }
  return points;
}

StudyPage long_range_page(const Json& points) {
  StudyPage page{"Long texts",
                 {"Encoders of two layers, each with another attention, are trained for the same "
                  "updates and tokens. list-ops: the value of nested lists; recall: the value "
                  "that a key had earlier. Chance is 0.1. Windows, blocks and Linformer's "
                  "projections have 32 tokens, Performer has 64 features."},
                 {},
                 {{{"task", "attention", "tokens", "accuracy", "ms per update", "MB"}, {}}}};
  for (const char* task : {"list-ops", "recall"}) {
    page.plots.push_back(long_plot(points, task, "accuracy", "share", PlotScale::linear));
  }
  page.plots.push_back(long_plot(points, "list-ops", "ms", "ms per update", PlotScale::log));
  page.plots.push_back(long_plot(points, "list-ops", "mb", "MB", PlotScale::log));
  for (const auto& [name, point] : points.items()) {
    page.tables[0].rows.push_back({point["task"].get<std::string>(),
                                   point["attention"].get<std::string>(),
                                   fmt::format("{}", point["length"].get<std::int64_t>()),
                                   fmt::format("{:.3f}", point["accuracy"].get<double>()),
                                   fmt::format("{:.1f}", point["ms"].get<double>()),
                                   fmt::format("{:.1f}", point["mb"].get<double>())});
  }
  return page;
}

}  // namespace yona
