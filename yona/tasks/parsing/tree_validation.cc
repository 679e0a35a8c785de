#include "yona/tasks/parsing/tree_validation.h"

#include <utility>

#include "yona/base/timing.h"
#include "yona/decode/scorer.h"
#include "yona/tasks/parsing/parsing_figures.h"
#include "yona/tasks/seq2seq/sorted_decoding.h"
#include "yona/trees/tree_text.h"
#include "yona/trees/treebank.h"

namespace yona {

namespace {

// The best next symbol, again and again.
class GreedyParser {
 public:
  GreedyParser(const SequenceModel& model, Backend& backend, const PairEncoder& encoder)
      : decoder_(
            {&model}, backend,
            parse_options({.beam = 1, .length_penalty = 0}, encoder.target.subword.vocabulary())),
        parser_(
            encoder.subwords(), {.max_source = decoder_.max_source()},
            [this](std::span<const DecodeRequest> all) { return decode_sorted(decoder_, all); }) {}

  const Parser& parser() const { return parser_; }

 private:
  BatchDecoder decoder_;
  Parser parser_;
};

Words words_for(const Tree& tree, const PairEncoder& encoder, std::int64_t most_tokens) {
  Words words = tree.words();
  const auto tokens = static_cast<std::int64_t>(encoder.source_ids(model_line(words)).size());
  return tokens <= most_tokens ? words : Words();
}

// All words under TOP, which EVALB does not count.
Tree flat_tree(const Tree& tree) { return tree_of_symbols("", tree.words()); }

}  // namespace

TreeValidation::TreeValidation(std::vector<Tree> gold, const PairEncoder& encoder,
                               const SequenceModel& model, Backend& backend, Options options)
    : gold_(std::move(gold)),
      encoder_(encoder),
      model_(model),
      backend_(backend),
      options_(std::move(options)),
      loss_("valid",
            TreeExamples(gold_, encoder,
                         {.name = "valid",
                          .leaves = options_.leaves,
                          .max_length = model.shape().max_positions}),
            encoder.target.subword, options_.batch_tokens) {
  for (const Tree& tree : gold_) {
    sentences_.push_back(words_for(tree, encoder, model.shape().max_positions));
  }
}

ValidationReport TreeValidation::run(Learner& learner) {
  const Clock::time_point start = Clock::now();
  ValidationReport report = loss_.run(learner);
  if (!options_.figures.empty() && learner.leads()) {
    std::vector<Tree> parses = GreedyParser(model_, backend_, encoder_).parser().parse(sentences_);
    for (std::size_t i = 0; i < parses.size(); ++i) {
      parses[i] = parses[i].empty() ? flat_tree(gold_[i]) : std::move(parses[i]);
    }
    report.figures = parsing_figures(options_.figures, parses, gold_);
  }
  report.seconds = seconds_since(start);
  return report;
}

TreeSamples::TreeSamples(const std::vector<Tree>& gold, const PairEncoder& encoder,
                         std::int64_t count, const SequenceModel& model, Backend& backend)
    : encoder_(encoder), model_(model), backend_(backend) {
  for (const Tree& tree : gold) {
    if (static_cast<std::int64_t>(gold_.size()) < count &&
        !words_for(tree, encoder, model.shape().max_positions).empty()) {
      gold_.push_back(tree);
    }
  }
}

SamplesReport TreeSamples::run() {
  SamplesReport report;
  std::vector<Words> sentences;
  std::vector<ScorePair> pairs;
  const GreedyParser greedy(model_, backend_, encoder_);
  for (const Tree& tree : gold_) {
    sentences.push_back(tree.words());
  }
  for (const ParsedIds& parsed : greedy.parser().parse_ids(sentences)) {
    pairs.push_back({parsed.source, parsed.target});
  }
  const std::vector<Hypothesis> forced =
      PairScorer({&model_}, backend_, {.alignments = true}).score(pairs);
  for (std::size_t i = 0; i < gold_.size(); ++i) {
    const std::string symbols = encoder_.target.subword.decode(pairs[i].target);
    report.samples.push_back({.input = model_line(sentences[i]),
                              .expected = to_brackets(gold_[i]),
                              .output = to_brackets(tree_of_symbols(symbols, sentences[i])),
                              .attention = forced[i].attention});
  }
  return report;
}

}  // namespace yona
