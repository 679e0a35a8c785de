// The sub-words of a foreign model folder, and what frames a text: special pieces, and the
// tokens that name its languages. Which files there are decides how they are read:
//
//   source.spm, target.spm, vocab.json      Marian (SubwordPair::load)
//   sentencepiece.bpe.model, vocab.json     M2M100
//   sentencepiece.bpe.model                 mBART, mBART-50, NLLB-200: ids as fairseq shifts them
//   spiece.model                            T5 with its <extra_id_0> …, Pegasus with its offset
//   vocab.json, merges.txt                  BART: byte-level BPE
//   tokenizer.json                          any of them, where it alone is there
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/io/model_description.h"
#include "yona/text/subword.h"
#include "yona/text/text_frame.h"

namespace yona {

// Throws IoError or FormatError naming the file; description.family must be a family's.
SubwordPair load_subwords(const std::filesystem::path& folder, const ModelDescription& description);

// Which languages a text is in and goes to: codes as the model has them, or their beginnings ("de"
// for de_DE or deu_Latn).
struct Languages {
  std::string source, target;
};

// Does a piece name a language: en_XX, eng_Latn, __en__ or >>eng<<?
bool is_language_token(std::string_view piece);
// Those of a vocabulary.
std::vector<std::string> language_tokens(const Vocabulary& vocabulary);
// Languages that are empty are those that the folder's tokenizer_config.json names, if any.
Languages completed_languages(const std::filesystem::path& folder, Languages languages);

// </s> after the text, on both sides.
TextFrame plain_frame(const SubwordPair& subwords);

// What the model of a foreign folder wants around a text. A language that is empty is the folder's
// own (tokenizer_config.json), if it has one; a multilingual model's source is English then, as in
// transformers. Throws InvalidArgument naming the flag (--src-lang,
// --tgt-lang) and those there are for a language that the model does not have.
TextFrame text_frame(const std::filesystem::path& folder, const ModelDescription& description,
                     const SubwordPair& subwords, const Languages& languages);

}  // namespace yona
