// What the cheaper attentions give up: encoders that differ in their attention alone are trained on
// tasks of several lengths. Accuracy, time of an update, and its memory.

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/data/labelled_texts.h"
#include "yona/models/bert.h"
#include "yona/study/byte_texts.h"
#include "yona/study/list_ops.h"
#include "yona/study/long_range_findings.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/classification/classification_objective.h"

namespace yona {

namespace {

// A task: batches of labelled texts of any length.
struct LongData {
  std::string name;
  std::int64_t vocabulary = 0, labels = 0;
  using Batches = std::function<Batch(std::int64_t count, std::int64_t length, std::uint64_t key)>;
  Batches training, test;
};

LongData generated_data(LongTask task) {
  const auto batches = [task](std::int64_t count, std::int64_t length, std::uint64_t key) {
    return long_batch(task, count, length, key);
  };
  return {std::string(name_of(task)), kLongTaskVocabulary, kLongTaskLabels, batches, batches};
}

LongData text_data(const std::filesystem::path& file) {
  const auto texts = std::make_shared<const ByteTexts>(file);
  return {kTextTask, ByteTexts::kVocabulary, texts->labels(),
          [texts](std::int64_t count, std::int64_t length, std::uint64_t key) {
            return texts->training_batch(count, length, key);
          },
          [texts](std::int64_t count, std::int64_t length, std::uint64_t key) {
            return texts->test_batch(count, length, key);
          }};
}

std::vector<LongData> long_tasks(const StudySetting& setting) {
  std::vector<LongData> tasks{generated_data(LongTask::list_ops), generated_data(LongTask::recall)};
  if (!setting.text.empty()) {
    tasks.push_back(text_data(setting.text));
  }
  return tasks;
}

struct LongRun {
  LongData data;
  AttentionKind kind = AttentionKind::scaled;
  std::int64_t length = 0;
};

BertConfig long_config(const LongRun& run, const StudySetting& setting) {
  BertConfig config;
  config.vocabulary = run.data.vocabulary;
  config.labels = run.data.labels;
  config.layers = 2;
  config.d_model = setting.is_small() ? 16 : 64;
  config.d_ff = 2 * config.d_model;
  config.heads = 2;
  config.dropout = config.attention_dropout = config.classifier_dropout = 0.0;
  config.norm = NormPosition::pre;
  config.max_positions = run.length;
  config.token_types = 0;
  config.text_vector = TextVector::mean;
  config.attention = run.kind;
  const bool has_window = run.kind == AttentionKind::window || run.kind == AttentionKind::dilated ||
                          run.kind == AttentionKind::lambda;
  config.attention_sizes = {.window = has_window ? 32 : 0,
                            .dilation = 4,
                            .block = 32,
                            .global_blocks = 1,
                            .random_blocks = 1,
                            .projected_keys = 32,
                            .features = 64,
                            .chunk = 32};
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
  const auto outputs = static_cast<std::ptrdiff_t>(logits.cols());
  double right = 0;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    const auto row = scores.begin() + static_cast<std::ptrdiff_t>(s) * outputs;
    right += std::max_element(row, row + outputs) - row == labels[s] ? 1 : 0;
  }
  return right / static_cast<double>(labels.size());
}

Json measure_long(const LongRun& run, const StudySetting& setting) {
  const std::int64_t texts = std::max<std::int64_t>(2, 4096 / run.length);
  ClassificationObjective objective(long_config(run, setting), {});
  StudyRun training(objective, setting, {.updates = setting.is_small() ? 3 : 300}, setting.seed);
  training.train([&](std::int64_t update) {
    return run.data.training(texts, run.length,
                             mix(setting.seed, static_cast<std::uint64_t>(update)));
  });
  const Batch test = run.data.test(setting.is_small() ? 8 : 256, run.length, mix(setting.seed, 0));
  return {{"task", run.data.name},
          {"attention", enum_name(run.kind)},
          {"length", run.length},
          {"chance", 1.0 / static_cast<double>(run.data.labels)},
          {"accuracy", label_accuracy(objective.model(), test, setting.backend)},
          {"ms", training.seconds_per_update() * 1e3},
          {"mb", static_cast<double>(training.peak_bytes()) / (1024.0 * 1024.0)}};
}

LinePlot long_plot(const Json& points, std::string_view task, const char* field,
                   std::string y_label, PlotScale y_scale) {
  LinePlot plot{fmt::format("{}: {}", task, y_label),
                "tokens",
                std::move(y_label),
                PlotScale::log,
                y_scale,
                {}};
  for (const AttentionKind kind : long_range_kinds()) {
    plot.series.push_back({std::string(enum_name(kind)), long_curve(points, task, kind, field)});
  }
  return plot;
}

std::vector<std::string> long_range_notes() {
  std::vector<std::string> notes{
      "Encoders of two layers, each with another attention, are trained for the same updates and "
      "tokens. list-ops: the value of nested lists. recall: the value that a key had earlier. "
      "Chance is 0.1 for both. text: the label of sentences as bytes, joined until the text is "
      "that long; a tenth of the sentences is held out for the test. Windows, blocks, "
      "Linformer's projections and Reformer's chunks have 32 tokens, Performer has 64 features."};
  for (const LeftOutAttention& left_out : left_out_attentions()) {
    notes.push_back(fmt::format("Left out: {}, {}.", enum_name(left_out.kind), left_out.reason));
  }
  return notes;
}

StudyTable long_table(const Json& points) {
  StudyTable table{{"task", "attention", "tokens", "accuracy", "ms per update", "MB"}, {}};
  for (const auto& [name, point] : points.items()) {
    table.rows.push_back({point["task"].get<std::string>(), point["attention"].get<std::string>(),
                          fmt::format("{}", point["length"].get<std::int64_t>()),
                          fmt::format("{:.3f}", point["accuracy"].get<double>()),
                          fmt::format("{:.1f}", point["ms"].get<double>()),
                          fmt::format("{:.1f}", point["mb"].get<double>())});
  }
  return table;
}

}  // namespace

std::vector<StudyPoint> long_range_points(const StudySetting& setting) {
  const std::vector<std::int64_t> lengths = setting.is_small()
                                                ? std::vector<std::int64_t>{64, 128}
                                                : std::vector<std::int64_t>{128, 512, 2048};
  std::vector<StudyPoint> points;
  const std::vector<LongData> tasks = long_tasks(setting);
  for (const std::int64_t length : lengths) {
    for (const LongData& data : tasks) {
      for (const AttentionKind kind : long_range_kinds()) {
        const LongRun run{data, kind, length};
        points.push_back({fmt::format("{} {} {}", data.name, enum_name(kind), length),
                          [run, setting] { return measure_long(run, setting); }});
      }
    }
  }
  return points;
}

StudyPage long_range_page(const Json& points) {
  StudyPage page{"Long texts", long_range_findings(points), {}, {}, long_range_notes()};
  for (const std::string& task : measured_tasks(points)) {
    page.plots.push_back(long_plot(points, task, "accuracy", "accuracy", PlotScale::linear));
  }
  page.plots.push_back(long_plot(points, "list-ops", "ms", "ms per update", PlotScale::log));
  page.plots.push_back(long_plot(points, "list-ops", "mb", "MB", PlotScale::log));
  page.tables.push_back(long_table(points));
  return page;
}

}  // namespace yona
