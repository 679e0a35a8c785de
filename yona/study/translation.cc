#include "yona/study/translation.h"

#include "yona/base/random.h"
#include "yona/score/bleu.h"
#include "yona/study/flop_counter.h"
#include "yona/study/reversal.h"
#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

namespace yona {

namespace {

constexpr std::int64_t kLongestTranslation = 24;  // words; the corpus has no longer ones

double bleu_of(const SequenceModel& model, const WordPairs& corpus, Backend& backend) {
  const Batch test = corpus.test();
  std::vector<std::string> hypotheses;
  for (const std::vector<std::int32_t>& ids :
       greedy_outputs(model, test, kLongestTranslation, backend)) {
    hypotheses.push_back(corpus.text_of(ids));
  }
  References references;
  for (const std::string& text : corpus.references()) {
    references.push_back({text});
  }
  const Bleu bleu;
  return bleu.score(corpus_statistics(bleu, hypotheses, references).sums()).value;
}

Batch batch_of_update(const TranslationStudy& study, std::uint64_t seed, std::int64_t update) {
  return study.corpus->training_batch(64, study.pairs,
                                      mix(seed, static_cast<std::uint64_t>(update)));
}

}  // namespace

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
  return {{"pairs", study.pairs},
          {"loss", run.loss(study.corpus->validation())},
          {"bleu", bleu_of(objective.model(), *study.corpus, setting.backend)}};
}

double translation_flops(const ContenderRun& contender, const TranslationStudy& study) {
  Seq2SeqObjective objective(contender.config, {.label_smoothing = 0.1});
  return training_flops(objective, batch_of_update(study, contender.seed, 1)) *
         static_cast<double>(study.updates);
}

}  // namespace yona
