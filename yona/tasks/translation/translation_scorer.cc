#include "yona/tasks/translation/translation_scorer.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/decode/batch_decoder.h"
#include "yona/score/bleu.h"
#include "yona/score/chrf.h"
#include "yona/score/segments.h"
#include "yona/score/ter.h"
#include "yona/tasks/seq2seq/sorted_decoding.h"

namespace yona {

namespace {

NamedSegments read_side(const std::vector<std::filesystem::path>& files) {
  NamedSegments side{files.at(0).string(), {}};
  for (const std::filesystem::path& file : files) {
    LineReader reader(file);
    for (std::string& line : read_segments(reader)) {
      side.lines.push_back(std::move(line));
    }
  }
  return side;
}

// The best next token, again and again.
std::vector<Ids> translate_greedily(const SequenceModel& model, Backend& backend,
                                    const PairEncoder& encoder, const std::vector<Ids>& sources) {
  std::vector<DecodeRequest> requests;
  requests.reserve(sources.size());
  for (const Ids& source : sources) {
    requests.push_back({.source = source, .prefix = encoder.target.before});
  }
  BatchDecoder decoder({&model}, backend, greedy_options(encoder));
  std::vector<Ids> outputs;
  for (std::vector<Hypothesis>& answer : decode_sorted(decoder, requests)) {
    outputs.push_back(std::move(answer.at(0).ids));
  }
  return outputs;
}

}  // namespace

std::vector<std::string> validation_metric_names() { return {"bleu", "chrf", "ter"}; }

std::unique_ptr<Metric> validation_metric(const std::string& name,
                                          const std::string& target_language) {
  if (name == "bleu") {
    BleuOptions options;
    const std::string language = target_language.substr(0, target_language.find('_'));
    if (language == "zh" || language == "zho" || language.starts_with("zh-")) {
      options.tokenizer = BleuTokenizer::zh;
    } else if (language == "ja" || language == "jpn" || language == "th" || language == "tha") {
      options.tokenizer = BleuTokenizer::character;
    }
    return std::make_unique<Bleu>(options);
  }
  if (name == "chrf") {
    return std::make_unique<Chrf>();
  }
  check(name == "ter", "train.valid_metrics: expected bleu, chrf or ter, got '{}'", name);
  return std::make_unique<Ter>();
}

DecodeOptions greedy_options(const PairEncoder& encoder) {
  const Vocabulary& vocabulary = encoder.target.subword.vocabulary();
  return {.beam = 1, .end_id = vocabulary.end(), .unknown_id = vocabulary.unknown()};
}

TranslationScorer::TranslationScorer(const CorpusSpec& set, const PairEncoder& encoder,
                                     Options options)
    : options_(std::move(options)), encoder_(encoder) {
  const NamedSegments source = read_side(set.source_files);
  const NamedSegments target = read_side(set.target_files);
  references_ = join_references({target});
  check_lengths(source, target.name, references_);
  for (const std::string& line : source.lines) {
    Ids& ids = sources_.emplace_back(encoder.source_ids(line, set.source_tags));
    if (static_cast<std::int64_t>(ids.size()) > options_.max_positions) {
      ids.clear();
      ++overlong_;
    }
  }
}

std::vector<ValidationFigure> TranslationScorer::run(const SequenceModel& model,
                                                     Backend& backend) const {
  std::vector<std::string> translations;
  translations.reserve(sources_.size());
  for (const Ids& ids : translate_greedily(model, backend, encoder_, sources_)) {
    translations.push_back(encoder_.target.subword.decode(ids));
  }
  std::vector<ValidationFigure> figures;
  for (const std::string& name : options_.metrics) {
    const auto metric = validation_metric(name, options_.target_language);
    const SegmentStatistics statistics = corpus_statistics(*metric, translations, references_);
    figures.push_back({name, metric->score(statistics.sums()).value});
  }
  return figures;
}

}  // namespace yona
