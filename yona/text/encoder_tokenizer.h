// Text for an encoder alone: one or two segments, cut into pieces, with the special tokens around
// them that the model has seen in training.
//
//   BERT, DistilBERT   [CLS] first [SEP]           [CLS] first [SEP] second [SEP]
//   RoBERTa            <s> first </s>              <s> first </s></s> second </s>
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/segmenter.h"

namespace yona {

struct EncodedText {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> types;  // the segment of each token: 0 or 1
  bool is_cut = false;              // was it longer than max_length?
};

struct SpecialTokens {
  std::int32_t begin = 0;  // [CLS], <s>
  std::int32_t end = 0;    // [SEP], </s>
  std::int32_t mask = -1;  // [MASK], <mask>; -1: there is none
  std::int32_t unknown = 0;
  std::int32_t pad = 0;
  bool two_ends_between = false;   // RoBERTa's pairs, whose tokens are all of segment 0
  bool mask_takes_space = false;   // the space in front of <mask> belongs to it
  bool marks_continuation = true;  // do pieces inside a word begin with "##"? Else words with "Ġ"
};

// A cheap handle on an immutable tokeniser; every call is thread-safe.
class EncoderTokenizer {
 public:
  // The piece at position i has id i.
  EncoderTokenizer(std::shared_ptr<const Segmenter> segmenter,
                   std::shared_ptr<const std::vector<std::string>> pieces,
                   const SpecialTokens& special)
      : segmenter_(std::move(segmenter)), pieces_(std::move(pieces)), special_(special) {}

  // Texts that are longer than max_length tokens, special ones counted, are cut at their ends, the
  // longer of two first. Special tokens that are written out in a text are taken as such.
  EncodedText encode(std::string_view first, const std::optional<std::string_view>& second,
                     std::int64_t max_length) const;

  // The same of a text whose pieces are given, without special tokens around them.
  EncodedText framed(std::vector<std::int32_t> ids, std::int64_t max_length) const {
    return framed(std::move(ids), std::nullopt, max_length);
  }

  const SpecialTokens& special() const { return special_; }
  std::int64_t size() const { return static_cast<std::int64_t>(pieces_->size()); }
  const std::string& piece(std::int32_t id) const {
    return pieces_->at(static_cast<std::size_t>(id));
  }
  bool is_special(std::int32_t id) const;
  // Does this piece go on with the word of the piece before it?
  bool continues_word(std::int32_t id) const;
  // The text of ids, special tokens left out.
  std::string decode(std::span<const std::int32_t> ids) const;

 private:
  void append(std::string_view text, std::vector<std::int32_t>& ids) const;
  EncodedText framed(std::vector<std::int32_t> a, std::optional<std::vector<std::int32_t>> b,
                     std::int64_t max_length) const;

  std::shared_ptr<const Segmenter> segmenter_;
  std::shared_ptr<const std::vector<std::string>> pieces_;
  SpecialTokens special_;
};

}  // namespace yona
