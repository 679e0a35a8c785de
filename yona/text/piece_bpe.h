// BPE over characters with U+2581 for spaces: SentencePiece's BPE models as tokenizer.json writes
// them down, by their merges (NLLB-200, say).
#pragma once

#include <memory>

#include "yona/text/bpe_merges.h"
#include "yona/text/piece_segmenter.h"

namespace yona {

struct PieceBpeOptions {
  bool fuses_unknown = true;        // unknown characters in a row are one <unk>
  bool drops_unknown = false;       // they are left out ("unk_token" is null)
  bool takes_whole_words = false;   // a word that is a piece is not merged ("ignore_merges")
  std::string continuation_mark{};  // in front of each character of a word but the first
  std::string end_mark{};           // behind the last one
};

class PieceBpe final : public PieceSegmenter {
 public:
  PieceBpe(const std::shared_ptr<const Vocabulary>& vocabulary,
           const std::vector<BpeMerges::Pair>& merges, PieceTextOptions text,
           PieceBpeOptions options, std::string_view name);

 protected:
  void encode_word(std::string_view word, std::vector<std::int32_t>& ids) const override;

 private:
  BpeMerges merges_;
  PieceBpeOptions options_;
};

}  // namespace yona
