// BPE over characters with U+2581 for spaces: SentencePiece's BPE models as tokenizer.json writes
// them down, by their merges (NLLB-200, say).
#pragma once

#include <functional>
#include <memory>

#include "yona/text/bpe_merges.h"
#include "yona/text/segmenter.h"

namespace yona {

struct PieceBpeOptions {
  // What is done to the text first, in order.
  std::vector<std::function<std::string(std::string_view)>> normalisers{};
  bool splits_at_whitespace = false;  // any white space ends a word and is dropped
  bool splits_words = true;           // a word begins at each U+2581; else a text is one word
  bool prefix = true;                 // U+2581 before a text that does not begin with it
  bool byte_fallback = false;         // an unknown character becomes its bytes, <0xE4> …
  bool fuses_unknown = true;          // unknown characters in a row are one <unk>
};

class PieceBpe : public Segmenter {
 public:
  PieceBpe(std::shared_ptr<const Vocabulary> vocabulary, const std::vector<BpeMerges::Pair>& merges,
           PieceBpeOptions options, std::string_view name);

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  void append_symbols(std::string_view character, std::vector<std::int32_t>& symbols) const;
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  BpeMerges merges_;
  PieceBpeOptions options_;
};

// `text` with every `from` replaced by `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);
// Runs of two or more spaces become `to`.
std::string with_single_spaces(std::string_view text, std::string_view to);

}  // namespace yona
