#include "yona/tasks/parsing/parsing_model.h"

#include <set>
#include <string>
#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/seq2seq/run_files.h"
#include "yona/text/subword_training.h"
#include "yona/trees/treebank.h"

namespace yona {

namespace {

constexpr std::int64_t kDefaultPieces = 3000;

SubwordPair new_subwords(const ParsingConfig& data, const std::vector<Tree>& trees,
                         Reporter& reporter) {
  SubwordTraining training;
  training.algorithm =
      data.subwords == "unigram" ? SubwordAlgorithm::unigram : SubwordAlgorithm::bpe;
  training.vocabulary_size =
      static_cast<int>(data.vocabulary_size > 0 ? data.vocabulary_size : kDefaultPieces);
  training.size_policy = data.vocabulary_size > 0 ? SubwordTraining::SizePolicy::exact
                                                  : SubwordTraining::SizePolicy::at_most;
  training.reserved = 0;
  reporter.message(MessageLevel::info, fmt::format("training sub-words: {}, {} pieces",
                                                   data.subwords, training.vocabulary_size));
  std::size_t next = 0;
  const LineSource lines = [&](std::string& line) {
    if (next == trees.size()) {
      return false;
    }
    line = model_line(trees[next++].words());
    return true;
  };
  return {Subword(train_subword(lines, training, "data.train")),
          whole_symbols(symbol_vocabulary(trees, data.leaves), "symbols")};
}

SubwordPair subwords_of(const RunConfig& config, const RunPlace& place,
                        const std::vector<Tree>& trees) {
  if (place.checkpoint) {
    return SubwordPair::load(place.output);
  }
  SubwordPair subwords = new_subwords(config.parsing, trees, place.reporter);
  remove_old_model(place);
  subwords.save(place.output);
  return subwords;
}

}  // namespace

Vocabulary symbol_vocabulary(const std::vector<Tree>& trees, LeafSymbol leaves) {
  std::set<std::string> symbols;
  for (const Tree& tree : trees) {
    for (std::string& symbol : linearised(tree, leaves)) {
      symbols.insert(std::move(symbol));
    }
  }
  std::vector<std::string> pieces{std::string(Vocabulary::kEnd), std::string(Vocabulary::kUnknown)};
  pieces.insert(pieces.end(), symbols.begin(), symbols.end());
  pieces.emplace_back(Vocabulary::kPad);
  return Vocabulary(std::move(pieces), "the treebank's symbols");
}

ParsingModel prepare_parsing_model(const RunConfig& config, const RunPlace& place,
                                   const std::vector<Tree>& trees) {
  const SubwordPair subwords = subwords_of(config, place, trees);
  ModelInfo info{.config = config.model, .source_language = {}, .target_language = {}};
  info.config.source_vocabulary = subwords.source.vocabulary().size();
  info.config.target_vocabulary = subwords.target.vocabulary().size();
  info.shared_vocabulary = false;
  info.vocabulary = subwords.fingerprint();
  info.task = "parsing";
  check_config(info.config);
  return {subwords, info};
}

}  // namespace yona
