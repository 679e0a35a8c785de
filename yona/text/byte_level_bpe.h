// Byte-level BPE (Radford et al. 2019), as GPT-2 and BART have it: text is cut into words by a
// fixed pattern, each byte is written as a visible character, and BPE merges these.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "yona/text/bpe_merges.h"
#include "yona/text/segmenter.h"

namespace yona {

struct ByteLevelOptions {
  bool add_prefix_space = false;   // before a text that does not begin with one
  bool cuts_words = true;          // by split_words(); else a text is one word
  bool takes_whole_words = false;  // a word that is a piece is not merged ("ignore_merges")
};

// The words of GPT-2's pattern, which together are the whole text (valid UTF-8):
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> split_words(std::string_view text);

// The bytes that a piece of byte-level BPE stands for; nothing when it has other characters
// (special tokens). And the character that stands for a byte.
std::optional<std::string> bytes_of_piece(std::string_view piece);
const std::string& character_of_byte(unsigned char byte);

class ByteLevelBpe : public Segmenter {
 public:
  // `name` is for messages. Throws FormatError when the vocabulary lacks one of the 256 bytes.
  ByteLevelBpe(std::shared_ptr<const Vocabulary> vocabulary,
               const std::vector<BpeMerges::Pair>& merges, const ByteLevelOptions& options,
               std::string_view name);

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  // Bytes that are not UTF-8 become U+FFFD.
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  std::optional<std::int32_t> whole_word(std::string_view word) const;

  std::shared_ptr<const Vocabulary> vocabulary_;
  BpeMerges merges_;
  ByteLevelOptions options_;
  std::array<std::int32_t, 256> id_of_byte_{};
};

}  // namespace yona
