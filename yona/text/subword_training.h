// Trains sub-words with SentencePiece, with yona's defaults: byte fallback, no
// normalisation of characters, 64 pieces reserved for tags, ids as OPUS-MT has them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/spm_file.h"

namespace yona {

struct SubwordTraining {
  // at_most: a corpus too small for the size gives a smaller vocabulary and a warning.
  // exact: it is an error that names the largest size that works.
  enum class SizePolicy : std::uint8_t { at_most, exact };

  SubwordAlgorithm algorithm = SubwordAlgorithm::bpe;  // bpe or unigram
  int vocabulary_size = 8000;                          // all pieces, <pad> included
  SizePolicy size_policy = SizePolicy::at_most;
  std::vector<std::string> tags;  // in use now: "<BT>", ">>de<<"
  int reserved = 64;              // pieces for tags, those in use among them
  bool byte_fallback = true;
  bool split_digits = false;
  std::string normalization = "identity";  // or nfkc, nmt_nfkc, nfkc_cf, nmt_nfkc_cf
  double character_coverage = 0.9995;      // rarer characters are written as bytes
  std::int64_t max_lines = 1'000'000;      // a seeded sample is taken of a longer input
  std::uint64_t seed = 1;
  bool verbose = false;  // SentencePiece's own log on standard error
};

// Gives the next line, or false at the end.
using LineSource = std::function<bool(std::string& line)>;

// Returns the bytes of an .spm file: the same for the same lines and options. Blank lines, lines
// that are not UTF-8, hold NUL or are longer than 4,192 bytes are passed over. `corpus` is for
// messages. Throws InvalidArgument with a size that works, or with what is missing.
std::string train_subword(const LineSource& next_line, const SubwordTraining& options,
                          std::string_view corpus);

}  // namespace yona
