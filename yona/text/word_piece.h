// WordPiece (Schuster and Nakajima 2012) as BERT has it: text is cleaned, cut into words at white
// space and around punctuation, and each word into the longest pieces of a vocabulary from its left
// to its right. Pieces inside a word begin with "##".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/text/segmenter.h"

namespace yona {

// How text is cleaned (BERT's BasicTokenizer).
struct BertNormalisation {
  bool clean = true;              // drop control characters; white space becomes a space
  bool spaces_around_cjk = true;  // each CJK ideograph is a word
  bool lower_case = true;
  bool strip_accents = true;  // decompose (NFD) and drop combining marks
};

std::string bert_normalised(std::string_view text, const BertNormalisation& options);
// The words of a normalised text: cut at white space, each punctuation character alone.
std::vector<std::string> bert_words(std::string_view normalised);

class WordPiece : public Segmenter {
 public:
  static constexpr std::string_view kContinuation = "##";
  static constexpr std::int64_t kLongestWord = 100;  // characters, where the files do not say

  // The piece at position i has id i; where a piece is repeated the last one counts. `unknown` is
  // the piece of words that cannot be cut, or have more than `longest_word` characters. Throws
  // FormatError naming `name` when it is missing.
  WordPiece(std::vector<std::string> pieces, const BertNormalisation& normalisation,
            std::string_view unknown, std::string_view name,
            std::int64_t longest_word = kLongestWord);

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  // Pieces joined by spaces, those that go on with a word joined to it.
  std::string decode(std::span<const std::int32_t> ids) const override;

  const std::vector<std::string>& pieces() const { return pieces_; }
  const BertNormalisation& normalisation() const { return normalisation_; }

 private:
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
  };

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
  BertNormalisation normalisation_;
  std::int64_t longest_word_;      // characters
  std::size_t longest_piece_ = 0;  // bytes
  std::int32_t unknown_ = 0;
};

}  // namespace yona
