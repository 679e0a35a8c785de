// Corpora of small made-up sentences, and sub-words for them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "yona/base/random.h"
#include "yona/data/corpus.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona::testing {

inline const SubwordPair& sample_subwords(SubwordAlgorithm algorithm = SubwordAlgorithm::bpe) {
  const auto make = [](SubwordAlgorithm kind) {
    const Subword both(sample_model(kind, 500, {"<BT>", ">>de<<"}));
    return SubwordPair{both, both};
  };
  static const SubwordPair bpe = make(SubwordAlgorithm::bpe);
  static const SubwordPair unigram = make(SubwordAlgorithm::unigram);
  return algorithm == SubwordAlgorithm::bpe ? bpe : unigram;
}

// `pairs` sentence pairs of 1 to 12 clauses in <name>.src and <name>.tgt of the folder.
inline CorpusSpec sample_corpus(const std::filesystem::path& folder, const std::string& name,
                                int pairs, std::uint64_t seed = 1) {
  RandomSequence random(seed);
  std::string texts[2];
  for (int pair = 0; pair < pairs; ++pair) {
    for (std::string& text : texts) {
      const auto clauses = static_cast<int>(1 + random.below(random.below(4) == 0 ? 12 : 3));
      for (const std::string& clause : sample_sentences(clauses, random.next64())) {
        text += clause + " ";
      }
      text.back() = '\n';
    }
  }
  write_bytes(folder / (name + ".src"), texts[0]);
  write_bytes(folder / (name + ".tgt"), texts[1]);
  CorpusSpec spec;
  spec.name = name;
  spec.source_files = {folder / (name + ".src")};
  spec.target_files = {folder / (name + ".tgt")};
  return spec;
}

}  // namespace yona::testing
