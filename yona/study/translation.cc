#include "yona/study/translation.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "yona/base/random.h"
#include "yona/score/bleu.h"
#include "yona/study/flop_counter.h"
#include "yona/study/reversal.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

constexpr std::int64_t kLongestTranslation = 24;  // words; the corpus has no longer ones

struct Translations {
  std::vector<std::string> hypotheses;
  References references;
};

Translations translated_test(const SequenceModel& model, const WordPairs& corpus, const Batch& test,
                             Backend& backend) {
  Translations translations;
  for (const std::vector<std::int32_t>& ids :
       greedy_outputs(model, test, kLongestTranslation, backend)) {
    translations.hypotheses.push_back(corpus.text_of(ids));
  }
  for (const std::string& text : corpus.references()) {
    translations.references.push_back({text});
  }
  return translations;
}

double bleu_of(const Translations& translations) {
  const Bleu bleu;
  return bleu
      .score(corpus_statistics(bleu, translations.hypotheses, translations.references).sums())
      .value;
}

Json bleu_by_length(const Translations& translations, const Batch& test) {
  Json groups = Json::array();
  for (const LengthGroup& group : length_groups(test.sides[kSource])) {
    Translations part;
    for (const std::size_t s : group.sentences) {
      part.hypotheses.push_back(translations.hypotheses[s]);
      part.references.push_back(translations.references[s]);
    }
    groups.push_back({{"words", group.name()}, {"bleu", bleu_of(part)}});
  }
  return groups;
}

Batch batch_of_update(const TranslationStudy& study, std::uint64_t seed, std::int64_t update) {
  return study.corpus->training_batch(64, study.pairs,
                                      mix(seed, static_cast<std::uint64_t>(update)));
}

}  // namespace

std::string LengthGroup::name() const {
  return shortest == longest ? fmt::format("{} words", shortest)
                             : fmt::format("{}-{} words", shortest, longest);
}

std::vector<LengthGroup> length_groups(const Side& sources) {
  constexpr std::size_t kGroups = 3;
  const auto words = [&](std::size_t s) { return sources.rows_of(s) - 1; };  // without </s>
  std::vector<std::size_t> order(sources.offsets.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return words(a) < words(b); });
  std::vector<LengthGroup> groups;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Sentences of the same length are in the same group: a third is where it begins.
    const bool is_new_length = i == 0 || words(order[i]) > words(order[i - 1]);
    if (is_new_length && i >= groups.size() * order.size() / kGroups) {
      groups.push_back({.shortest = words(order[i])});
    }
    groups.back().longest = words(order[i]);
    groups.back().sentences.push_back(order[i]);
  }
  return groups;
}

Seq2SeqConfig translation_config(const WordPairs& corpus) {
  Seq2SeqConfig config;
  config.source_vocabulary = config.target_vocabulary = corpus.vocabulary();
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 128;
  config.heads = 4;
  config.dropout = 0.1;
  config.norm = NormPosition::pre;
  config.max_positions = 128;
  config.input_length = 32;
  return config;
}

Json measure_translation(const ContenderRun& contender, const TranslationStudy& study,
                         const StudySetting& setting) {
  Seq2SeqObjective objective(contender.config, {.label_smoothing = 0.1});
  StudyRun run(objective, setting, {.updates = study.updates, .rate = contender.rate},
               contender.seed);
  run.train([&](std::int64_t update) { return batch_of_update(study, contender.seed, update); });
  const Batch test = study.corpus->test();
  const Translations translations =
      translated_test(objective.model(), *study.corpus, test, setting.backend);
  return {{"pairs", study.pairs},
          {"loss", run.loss(study.corpus->validation())},
          {"bleu", bleu_of(translations)},
          {"bleu by length", bleu_by_length(translations, test)}};
}

double translation_flops(const ContenderRun& contender, const TranslationStudy& study) {
  Seq2SeqObjective objective(contender.config, {.label_smoothing = 0.1});
  return training_flops(objective, batch_of_update(study, contender.seed, 1)) *
         static_cast<double>(study.updates);
}

}  // namespace yona
