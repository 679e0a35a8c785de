#include "yona/tasks/translation/samples.h"

#include "yona/data/line_reader.h"
#include "yona/decode/batch_decoder.h"
#include "yona/decode/scorer.h"
#include "yona/tasks/translation/translation_scorer.h"

namespace yona {

Samples::Samples(const CorpusSpec& set, const PairEncoder& encoder, std::int64_t count,
                 const SequenceModel& model, Backend& backend)
    : encoder_(encoder), model_(model), backend_(backend) {
  const std::int64_t max_positions = model.shape().max_positions;
  LineReader sources(set.source_files.at(0));
  LineReader targets(set.target_files.at(0));
  LineReader::Line source, target;
  while (static_cast<std::int64_t>(sentences_.size()) < count && sources.next(source) &&
         targets.next(target)) {
    if (!source.valid_utf8 || !target.valid_utf8 || source.cut || target.cut) {
      continue;
    }
    Sentence sentence{std::string(source.text), std::string(target.text), {}};
    sentence.ids = encoder.source_ids(sentence.source, set.source_tags);
    if (!sentence.ids.empty() && static_cast<std::int64_t>(sentence.ids.size()) <= max_positions) {
      sentences_.push_back(std::move(sentence));
    }
  }
}

SamplesReport Samples::run() {
  SamplesReport report;
  if (sentences_.empty()) {
    return report;
  }
  std::vector<DecodeRequest> requests;
  for (const Sentence& sentence : sentences_) {
    requests.push_back({.source = sentence.ids, .prefix = encoder_.target.before});
  }
  std::vector<ScorePair> pairs;
  for (const std::vector<Hypothesis>& answer :
       BatchDecoder({&model_}, backend_, greedy_options(encoder_)).decode(requests)) {
    pairs.push_back({sentences_[pairs.size()].ids, answer.at(0).ids});
  }
  const std::vector<Hypothesis> forced =
      PairScorer({&model_}, backend_, {.alignments = true}).score(pairs);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    report.samples.push_back({.input = sentences_[i].source,
                              .expected = sentences_[i].reference,
                              .output = encoder_.target.subword.decode(pairs[i].target),
                              .attention = forced[i].attention});
  }
  return report;
}

}  // namespace yona
