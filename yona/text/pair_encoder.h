// What turns a line of text into the ids that a model reads and is trained on: its sub-words, and
// the tokens that the model wants around them. Yona's own models want </s> after each side;
// published ones name languages before or after the text, or begin with tokens of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/subword.h"
#include "yona/text/text_frame.h"

namespace yona {

// One side of a pair. Every call is thread-safe.
struct SideEncoder {
  Subword subword;
  std::vector<std::int32_t> before{};  // languages, tags
  std::vector<std::int32_t> after{};   // </s>, and what follows it

  // Appends the ids of a line with its special tokens. False when there is no text in the line:
  // then that alone was appended.
  bool encode(std::string_view line, std::vector<std::int32_t>& ids) const;
  // The same with a segmentation drawn at random: see Subword::sample, and for what it throws.
  void sample(std::string_view line, double alpha, std::uint64_t key,
              std::vector<std::int32_t>& ids) const;

  // The same with these tags right before the text. Throws as Subword::tag does.
  SideEncoder with_tags(const std::vector<std::string>& tags) const;
};

struct PairEncoder {
  // </s> after each side.
  // NOLINTNEXTLINE(google-explicit-constructor): sub-words alone are enough for most models
  PairEncoder(const SubwordPair& subwords);
  // `identity` names what the ids depend on besides the sub-words' models and vocabularies: the
  // content of a foreign tokeniser's files. It is part of the key of what is cached.
  PairEncoder(const SubwordPair& subwords, const TextFrame& frame, std::string identity);

  SubwordPair subwords() const { return {source.subword, target.subword}; }
  // Ids of a line to translate; none where there is no text.
  std::vector<std::int32_t> source_ids(std::string_view line,
                                       const std::vector<std::string>& tags = {}) const;

  SideEncoder source, target;
  std::string identity;  // empty: nothing else matters
};

}  // namespace yona
