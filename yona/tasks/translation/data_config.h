// What a translation run trains on: the keys data.* of its configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yona/data/corpus.h"

namespace yona {

struct ValidationSet {  // data.valid: the first decides stopping and which model is the best
  std::string name = "valid";
  std::filesystem::path source, target;
  // Put in front of every sentence of a side. nullopt (auto): the language tags (">>de<<") of the
  // first training corpus, but no others of its tags: a validation set is real text, whatever
  // marks ("<BT>") that corpus has.
  std::optional<std::vector<std::string>> source_tags{}, target_tags{};
};

struct DataConfig {
  std::vector<CorpusSpec> corpora;
  std::vector<ValidationSet> valid;
  std::string source_language, target_language;
  std::string subwords = "bpe";      // bpe or unigram
  std::int64_t vocabulary_size = 0;  // 0: by preset and corpus
  bool shared_vocabulary = true;
  std::string normalisation = "identity";
  std::filesystem::path source_model, target_model;  // given .spm files instead of training
  std::int64_t max_length = 256;  // sub-words of a side; longer pairs are left out
  double sampling = 0.0;          // BPE-dropout or unigram sampling; 0: off
  std::filesystem::path cache;    // "": inside the run's folder
};

}  // namespace yona
