// What a language model is trained on: the section of RunConfig that this task reads.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/documents/lm_text.h"
#include "yona/models/causal_lm_config.h"

namespace yona {

// characters, words (between white space), byte-level BPE (Radford et al. 2019) or a SentencePiece
// model (Kudo and Richardson 2018).
enum class TokenKind : std::uint8_t { bpe, sentencepiece, words, characters };
constexpr std::array<std::string_view, 4> enum_names(TokenKind) {
  return {"bpe", "sentencepiece", "words", "characters"};
}
struct LmDataConfig {
  std::vector<std::filesystem::path> train;
  std::filesystem::path valid;
  TokenKind tokens = TokenKind::bpe;
  std::int64_t vocabulary_size = 0;  // 0: by tokens; of characters and words, all there are
  std::filesystem::path tokenizer;   // a folder whose tokeniser is used instead of a new one
  DocumentUnit documents = DocumentUnit::file;
  TextPacking packing = TextPacking::stream;
  std::int64_t context = 0;     // tokens of an example; 0: as many as the model has positions
  std::filesystem::path cache;  // "": inside the run's folder
};

struct LanguageModelConfig {
  CausalLmConfig model;
  LmDataConfig data;
};

}  // namespace yona
