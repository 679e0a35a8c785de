// Text ↔ token ids through a SentencePiece model (Kudo and Richardson 2018) and a vocabulary.
//
// The processor is the real library's; ids are the vocabulary's numbers. A model trained by yona
// numbers its pieces as the vocabulary does (</s> 0, <unk> 1, …, and <pad> after the last piece);
// an OPUS-MT model has two .spm files that share one vocab.json with numbers of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/segmenter.h"
#include "yona/text/spm_file.h"
#include "yona/text/vocabulary.h"

namespace yona {

// One piece wherever it stands in a text: <mask>, say. It may take the white space beside it along.
struct WholePiece {
  std::string text;
  bool strips_left = false, strips_right = false;
};

// Pieces that do not stand for text.
struct SpecialPieces {
  std::vector<WholePiece> whole{};
  std::vector<std::int32_t> silent{};  // ids left out of decoded text, besides </s> and <pad>
};

// One side's sub-words. A cheap handle on an immutable model; every call is thread-safe.
class Subword {
 public:
  // `model` holds the bytes of an .spm file, `name` is for messages. Without a vocabulary the
  // model's own is used. Throws FormatError when the bytes are not a model.
  explicit Subword(std::string model, std::shared_ptr<const Vocabulary> vocabulary = nullptr,
                   std::string_view name = "sub-word model", SpecialPieces special = {});
  static Subword load(const std::filesystem::path& path,
                      std::shared_ptr<const Vocabulary> vocabulary = nullptr);

  // The same around another way to cut text. There is no .spm file then: model() is empty, and
  // sample() and with_tags() throw NotImplemented.
  Subword(std::shared_ptr<const Segmenter> segmenter, std::shared_ptr<const Vocabulary> vocabulary,
          std::string_view name, SpecialPieces special = {});

  // Appends the ids of one line, without </s>. Tags at the very front (">>de<< Hello") become one
  // id each, and the rest is encoded by encode_rest(), as Hugging Face does.
  void encode(std::string_view line, std::vector<std::int32_t>& ids) const;
  // The same for a part that does not begin the line, without tags: see Segmenter::encode_rest().
  void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const;

  // The same with a segmentation drawn at random: a pure function of line, alpha and key. For BPE
  // alpha is the probability that a merge is left out (BPE-dropout, Provilkov et al. 2020); for
  // unigram it is the exponent of the segmentations' probabilities (Kudo 2018, l = ∞).
  void sample(std::string_view line, double alpha, std::uint64_t key,
              std::vector<std::int32_t>& ids) const;

  // Text of the ids; </s> and <pad> are left out. Throws InvalidArgument for an id out of range.
  std::string decode(std::span<const std::int32_t> ids) const;

  // The id of a tag; InvalidArgument saying what to do when it is neither in use nor known.
  std::int32_t tag(std::string_view tag) const;

  // The same model with each tag that it lacks in the place of a reserved piece. Throws
  // InvalidArgument when the tag is malformed or no reserved piece is left.
  Subword with_tags(const std::vector<std::string>& tags) const;

  SubwordAlgorithm algorithm() const;
  const Vocabulary& vocabulary() const;
  const std::shared_ptr<const Vocabulary>& shared_vocabulary() const;
  const std::string& model() const;  // bytes of the .spm file

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// The vocabulary of a target side whose pieces are whole symbols: what a parser writes.
inline constexpr const char* kSymbolsFile = "symbols.json";

// Symbols with a space between them, each a piece of the vocabulary; others become <unk>.
Subword whole_symbols(Vocabulary vocabulary, std::string_view name);

// Both sides of a model as they lie in its folder: source.spm, target.spm, vocab.json, and
// target_vocab.json when the sides have separate vocabularies; with whole symbols as the target,
// source.spm, vocab.json and symbols.json.
struct SubwordPair {
  Subword source;
  Subword target;

  bool has_shared_vocabulary() const { return source.vocabulary() == target.vocabulary(); }

  // Of a folder that yona or OPUS-MT wrote; io/hf_tokenizer.h reads those of other families.
  static SubwordPair load(const std::filesystem::path& folder);
  // Throws IoError. The folder must exist.
  void save(const std::filesystem::path& folder) const;
  // Of the pieces of both sides and their ids, for telling vocabularies apart.
  std::string fingerprint() const;
  // with_tags() on both sides; a shared vocabulary stays shared.
  SubwordPair with_tags(const std::vector<std::string>& tags) const;
};

// Throws InvalidArgument unless `tag` can be one piece: not empty, no space, comma, quote or
// U+2581.
void check_tag(std::string_view tag);
// Does it name a language (">>de<<"), so that text may begin with it?
bool is_language_tag(std::string_view tag);

// The name of reserved piece i before a tag takes its place.
std::string reserved_piece(int index);

}  // namespace yona
