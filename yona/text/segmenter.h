// A way to cut text into pieces: a SentencePiece model, byte-level BPE, or what a tokenizer.json
// describes. Subword (subword.h) puts tags and special pieces around it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

class Segmenter {
 public:
  Segmenter() = default;
  virtual ~Segmenter() = default;
  Segmenter(const Segmenter&) = delete;
  Segmenter& operator=(const Segmenter&) = delete;

  // Appends the ids of a text. Thread-safe.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  // The same for a part that does not begin the whole text: what comes after a special piece.
  virtual void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const {
    encode(text, ids);
  }
  // The text of ids, none of them special.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
};

}  // namespace yona
