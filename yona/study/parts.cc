// What each part of the Transformer is worth: models that lack one part, or have another in its
// place, learn to write a sequence backwards, and to translate. Time and memory of an update say
// what the part costs. Three seeds.

#include <array>
#include <memory>

#include <fmt/format.h>

#include "yona/study/reversal.h"
#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/training.h"
#include "yona/study/translation.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

constexpr double kTranslationRate = 2e-3;
constexpr std::string_view kAllParts = "all parts";
constexpr std::string_view kAdditive = "additive instead of dot product";
constexpr std::string_view kNoMask = "no causal mask";

struct PartChange {
  std::string_view name;
  void (*change)(TransformerConfig& config);
};

constexpr std::array<PartChange, 8> kPartChanges{
    {{kAllParts, [](TransformerConfig& /*config*/) {}},
     {"no 1/√d_k", [](TransformerConfig& config) { config.attention = AttentionKind::unscaled; }},
     {kAdditive, [](TransformerConfig& config) { config.attention = AttentionKind::additive; }},
     {kNoMask, [](TransformerConfig& config) { config.missing = MissingPart::causal_mask; }},
     {"no residual", [](TransformerConfig& config) { config.missing = MissingPart::residual; }},
     {"no positions", [](TransformerConfig& config) { config.positions = PositionKind::none; }},
     {"batch norm for layer norm",
      [](TransformerConfig& config) { config.departures.norm_kind = NormKind::batch; }},
     {"one head", [](TransformerConfig& config) { config.heads = 1; }}}};

// The same part changed in a model that learns to translate.
double translation_bleu(const PartChange& part, std::uint64_t seed, const TranslationStudy& study,
                        const StudySetting& setting) {
  Seq2SeqConfig config = translation_config(*study.corpus);
  part.change(config);
  return measure_translation({part.name, config, kTranslationRate, seed}, study, setting)["bleu"];
}

Json measure_part(const PartChange& part, std::uint64_t seed, const TranslationStudy& translation,
                  const StudySetting& setting) {
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
          {"bleu", translation_bleu(part, seed, translation, setting)},
          {"ms", run.seconds_per_update() * 1e3},
          {"mb", static_cast<double>(run.peak_bytes()) / (1024.0 * 1024.0)}};
}

using PartGroups = std::vector<std::pair<std::string, std::vector<Json>>>;

const std::vector<Json>* find_part(const PartGroups& groups, std::string_view name) {
  for (const auto& [part, of_seeds] : groups) {
    if (part == name) {
      return &of_seeds;
    }
  }
  return nullptr;
}

// How much each figure of a part changes: a sentence for each.
std::string part_sentence(const std::string& name, const std::vector<Json>& part,
                          const std::vector<Json>& whole) {
  const auto change = [&](const char* field) {
    return spread_of(part, field).mean - spread_of(whole, field).mean;
  };
  const auto ratio = [&](const char* field) {
    return spread_of(part, field).mean / spread_of(whole, field).mean;
  };
  return fmt::format(
      "{}: {:+.2f} of the symbols, {:+.1f} BLEU, {:.2f} of the time and {:.2f} of the memory of "
      "all "
      "parts.",
      name, change("symbols"), change("bleu"), ratio("ms"), ratio("mb"));
}

// A model that sees what it should predict has a low loss, and fails on its own.
std::string mask_sentence(const std::vector<Json>& without, const std::vector<Json>& whole) {
  const double loss = spread_of(without, "loss").mean;
  const double whole_loss = spread_of(whole, "loss").mean;
  const double sequences = spread_of(without, "sequences").mean;
  const double whole_sequences = spread_of(whole, "sequences").mean;
  const bool cheats = loss < whole_loss && sequences < whole_sequences;
  return fmt::format(
      "Without a causal mask the loss is {:.3f} (with it {:.3f}) and {:.2f} of its own sequences "
      "are "
      "right (with it {:.2f}): {}.",
      loss, whole_loss, sequences, whole_sequences,
      cheats ? "it reads what it should predict"
             : "here it did not learn to read what it should predict");
}

std::vector<std::string> part_findings(const PartGroups& groups) {
  std::vector<std::string> sentences;
  const std::vector<Json>* whole = find_part(groups, kAllParts);
  if (whole == nullptr) {
    return sentences;
  }
  for (const auto& [name, of_seeds] : groups) {
    if (name != kAllParts) {
      sentences.push_back(part_sentence(name, of_seeds, *whole));
    }
  }
  if (const std::vector<Json>* without = find_part(groups, kNoMask); without != nullptr) {
    sentences.push_back(mask_sentence(*without, *whole));
  }
  return sentences;
}

}  // namespace

std::vector<StudyPoint> parts_points(const StudySetting& setting) {
  const std::int64_t pairs = setting.is_small() ? 100 : 8000;
  const TranslationStudy translation{
      std::make_shared<const WordPairs>(
          WordPairs::Sizes{
              .training = pairs, .validation = 50, .test = setting.is_small() ? 20 : 200},
          WordPairs::kSeed),
      pairs, setting.is_small() ? 4 : 400};
  std::vector<StudyPoint> points;
  for (const std::uint64_t seed : study_seeds(setting)) {
    for (const PartChange& part : kPartChanges) {
      points.push_back(
          {fmt::format("{} seed={}", part.name, seed), [&part, seed, translation, setting] {
             return measure_part(part, seed, translation, setting);
           }});
    }
  }
  return points;
}

StudyPage parts_page(const Json& points) {
  StudyTable table{
      {"model", "loss", "symbols right", "sequences right", "BLEU", "ms per update", "MB"}, {}};
  const PartGroups groups = grouped_points(points, "part");
  for (const auto& [part, of_seeds] : groups) {
    const auto spread = [&seeds = of_seeds](const char* field) { return spread_of(seeds, field); };
    const Spread bleu = spread("bleu");
    table.rows.push_back(
        {part, spread("loss").text(), spread("symbols").text(), spread("sequences").text(),
         fmt::format("{:.1f} ± {:.1f}", bleu.mean, bleu.deviation),
         fmt::format("{:.1f}", spread("ms").mean), fmt::format("{:.1f}", spread("mb").mean)});
  }
  StudyPage page{"Parts", part_findings(groups), {}, {std::move(table)}};
  page.notes = {
      "Each model is trained for the same updates to write sequences of up to 16 symbols "
      "backwards, and tested by greedy search. The loss is that of the next symbol after the "
      "right ones. BLEU is that of the same model, with the same part changed, trained to "
      "translate English numbers, prices, times and dates into French. Time and memory are those "
      "of an update of the first. Mean over seeds ± standard deviation."};
  return page;
}

}  // namespace yona
