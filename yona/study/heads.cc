// What each attention head of a trained model is worth: the columns of the output projection that
// read it are set to zero, and the loss and accuracy are measured again.

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/study/reversal.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

// While it lives, the head gives zero.
class PrunedHead {
 public:
  PrunedHead(Parameters& parameters, const std::string& attention, std::int64_t head,
             std::int64_t d_v) {
    const std::string name = attention + ".output.weight";
    const Parameters::Entry* entry = parameters.find(name);
    check(entry != nullptr, "study: the model has no parameter {}", name);
    weight_ = entry->value;
    before_ = weight_.to_vector<float>();
    std::vector<float> without = before_;
    const std::int64_t columns = weight_.cols();
    for (std::int64_t row = 0; row < weight_.rows(); ++row) {
      std::fill_n(without.begin() + row * columns + head * d_v, d_v, 0.0F);
    }
    weight_.upload(without);
  }
  ~PrunedHead() { weight_.upload(before_); }
  PrunedHead(const PrunedHead&) = delete;
  PrunedHead& operator=(const PrunedHead&) = delete;

 private:
  Tensor weight_;
  std::vector<float> before_;
};

Json figures_of(StudyRun& run, const SequenceModel& model, const Batch& test,
                const StudySetting& setting) {
  const ReversalAccuracy accuracy = reversal_accuracy(model, test, setting.backend);
  return {{"loss", run.loss(test)}, {"symbols", accuracy.symbols}};
}

std::vector<std::string> attention_names(const TransformerConfig& config) {
  std::vector<std::string> names;
  for (std::int64_t layer = 0; layer < config.encoder_layers; ++layer) {
    names.push_back(fmt::format("encoder.layers.{}.self_attention", layer));
  }
  for (std::int64_t layer = 0; layer < config.decoder_layers; ++layer) {
    names.push_back(fmt::format("decoder.layers.{}.self_attention", layer));
    names.push_back(fmt::format("decoder.layers.{}.cross_attention", layer));
  }
  return names;
}

// One training, and then a figure for each head.
Json measure_heads(const StudySetting& setting) {
  const TransformerConfig config = reversal_config(setting);
  Seq2SeqObjective objective(config, {.label_smoothing = 0.0});
  StudyRun run(objective, setting, {.updates = setting.is_small() ? 4 : 1500}, setting.seed);
  run.train([&](std::int64_t update) {
    return reversal_batch(64, 2, 16, mix(setting.seed, static_cast<std::uint64_t>(update)));
  });
  const Batch test = reversal_batch(setting.is_small() ? 4 : 200, 2, 16, mix(setting.seed, 0));
  Json result{{"whole", figures_of(run, objective.model(), test, setting)},
              {"heads", Json::array()}};
  for (const std::string& attention : attention_names(config)) {
    for (std::int64_t head = 0; head < config.heads; ++head) {
      const PrunedHead pruned(run.parameters(), attention, head, config.head_shape().d_v);
      Json figures = figures_of(run, objective.model(), test, setting);
      figures["attention"] = attention;
      figures["head"] = head;
      result["heads"].push_back(std::move(figures));
    }
  }
  return result;
}

std::string heads_sentence(const Json& measured) {
  constexpr double kSpared = 0.01;  // nats
  const double whole = measured["whole"]["loss"].get<double>();
  const Json* dearest = nullptr;
  std::int64_t spared = 0;
  for (const Json& head : measured["heads"]) {
    const double loss = head["loss"].get<double>();
    spared += loss - whole < kSpared ? 1 : 0;
    if (dearest == nullptr || loss > (*dearest)["loss"].get<double>()) {
      dearest = &head;
    }
  }
  return fmt::format(
      "{} of {} heads can be left out, one at a time, for less than {} nats; head {} of {} costs "
      "the most, {:+.3f} nats.",
      spared, measured["heads"].size(), kSpared, (*dearest)["head"].get<std::int64_t>(),
      (*dearest)["attention"].get<std::string>(), (*dearest)["loss"].get<double>() - whole);
}

}  // namespace

std::vector<StudyPoint> heads_points(const StudySetting& setting) {
  return {{"trained model", [setting] { return measure_heads(setting); }}};
}

StudyPage heads_page(const Json& points) {
  StudyPage page{"Heads", {}, {}, {}};
  page.notes = {
      "A model is trained to write sequences of up to 16 symbols backwards. Then one head at a "
      "time gives zero. The loss is that of the next symbol, in nats."};
  if (!points.contains("trained model")) {
    return page;
  }
  const Json& measured = points["trained model"];
  const auto number = [](const Json& value) { return fmt::format("{:.4f}", value.get<double>()); };
  StudyTable table{{"attention", "head", "loss", "added loss", "symbols right"}, {}};
  const Json& whole = measured["whole"];
  table.rows.push_back({"all heads", "", number(whole["loss"]), "", number(whole["symbols"])});
  for (const Json& head : measured["heads"]) {
    const double added = head["loss"].get<double>() - whole["loss"].get<double>();
    table.rows.push_back({head["attention"].get<std::string>(),
                          fmt::format("{}", head["head"].get<std::int64_t>()), number(head["loss"]),
                          fmt::format("{:+.4f}", added), number(head["symbols"])});
  }
  page.tables.push_back(std::move(table));
  page.findings = {heads_sentence(measured)};
  return page;
}

}  // namespace yona
