// Unigram segmentation (Kudo 2018) of what a tokenizer.json describes, as Hugging Face's tokenizers
// does it. SentencePiece models are run by SentencePiece itself (spm_segmenter.h), which adds
// scores in single precision: of segmentations that are equally good the two may choose different
// ones.
#pragma once

#include <memory>

#include "yona/text/piece_segmenter.h"

namespace yona {

struct UnigramPiece {
  std::int32_t id = -1;
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
  // Of a trie of the pieces; the children of a node are neighbours, in the order of their bytes.
  struct Node {
    UnigramPiece piece{};  // that ends here; id -1: none
    std::uint32_t first_child = 0;
    std::uint16_t children = 0;
    std::uint8_t byte = 0;
  };

  const Node* child(const Node& node, char byte) const;  // null: there is none
  void append_unknown(std::string_view text, std::vector<std::int32_t>& ids) const;

  std::vector<Node> nodes_;  // the first is the root
  double unknown_score_;
};

}  // namespace yona
