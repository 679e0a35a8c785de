// What BPE and unigram models over characters have in common where a tokenizer.json describes them:
// a text is normalised, cut into words with U+2581 for spaces, and each word into pieces.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/text/segmenter.h"
#include "yona/text/vocabulary.h"

namespace yona {

// U+2581 before what does not begin with it: nowhere, at the beginning of the whole text, or before
// each part of it (what stands between special pieces or, with `splits_at_whitespace`, white
// space).
enum class WordPrefix : std::uint8_t { never, first, always };

struct PieceTextOptions {
  // What is done to the text first, in order.
  std::vector<std::function<std::string(std::string_view)>> normalisers{};
  bool splits_at_whitespace = false;  // any white space ends a word and is dropped
  bool splits_words = true;           // a word begins at each U+2581; else a text is one word
  WordPrefix prefix = WordPrefix::always;
  bool byte_fallback = false;  // an unknown character becomes its bytes, <0xE4> …
};

class PieceSegmenter : public Segmenter {
 public:
  PieceSegmenter(std::shared_ptr<const Vocabulary> vocabulary, PieceTextOptions options);

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const final;
  void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const final;
  std::string decode(std::span<const std::int32_t> ids) const final;

 protected:
  // Appends the pieces of a word, which is not empty.
  virtual void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const = 0;
  // Appends the ids of the bytes of an unknown text; false, and nothing is done, without
  // `byte_fallback` or where the vocabulary lacks one of them.
  bool append_bytes(std::string_view text, std::vector<std::int32_t>& ids) const;
  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  void encode_part(std::string_view part, bool is_first, std::vector<std::int32_t>& ids) const;
  void encode_parts(std::string_view text, bool is_first, std::vector<std::int32_t>& ids) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  PieceTextOptions options_;
};

// `text` with every `from` replaced by `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);
// Runs of two or more spaces become `to`.
std::string with_single_spaces(std::string_view text, std::string_view to);
// Without the white space at either end.
std::string_view without_space(std::string_view text, bool left, bool right);

}  // namespace yona
