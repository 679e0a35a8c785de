// Unigram segmentation (Kudo 2018) of what a tokenizer.json describes, as Hugging Face's tokenizers
// does it. SentencePiece models are run by SentencePiece itself (spm_segmenter.h), which adds
// scores in single precision: of segmentations that are equally good the two may choose different
// ones.
#pragma once

#include <memory>

#include "yona/text/piece_segmenter.h"

namespace yona {

struct UnigramPiece {
  std::int32_t id = 0;
  double score = 0;
};

class PieceUnigram final : public PieceSegmenter {
 public:
  // `pieces` are those that text is cut into; <s>, </s>, <unk> and <pad> never are. An unknown
  // character scores `unknown_score`.
  PieceUnigram(std::shared_ptr<const Vocabulary> vocabulary, std::vector<UnigramPiece> pieces,
               double unknown_score, PieceTextOptions text);

 protected:
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const override;

 private:
  std::string_view text_of(const UnigramPiece& piece) const;
  void append(std::string_view text, std::vector<std::int32_t>& ids) const;

  std::vector<UnigramPiece> pieces_;  // in the order of their texts
  double unknown_score_;
};

}  // namespace yona
