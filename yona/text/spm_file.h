// What yona reads and changes inside a SentencePiece model file (sentencepiece_model.proto), beyond
// what the library's public headers show: the algorithm, the kind of each piece, and names of
// reserved pieces. Only the protobuf wire format is walked; fields not understood are kept as is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

enum class SubwordAlgorithm : std::uint8_t { unigram = 1, bpe = 2, word = 3, character = 4 };

std::string_view name_of(SubwordAlgorithm algorithm);

// ▁, what pieces have for a space: it begins the first piece of a word.
inline constexpr std::string_view kWordStart = "\u2581";

struct SpmPiece {
  enum class Kind : std::uint8_t {  // the numbers of the file format
    normal = 1,
    unknown = 2,
    control = 3,
    user_defined = 4,
    unused = 5,
    byte = 6
  };
  std::string text;
  float score = 0;
  Kind kind = Kind::normal;
};

// How text is rewritten before it is cut; the format's defaults.
struct SpmNormalizer {
  std::string precompiled_charsmap;  // empty: characters stay as they are
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;  // as U+2581
};

struct SpmFile {
  SubwordAlgorithm algorithm = SubwordAlgorithm::unigram;
  SpmNormalizer normalizer;
  std::vector<SpmPiece> pieces;  // by SentencePiece's id
};

// Throws FormatError naming `name` when `model` is not such a file.
SpmFile parse_spm(std::string_view model, std::string_view name);

// The bytes of such a file.
std::string write_spm(const SpmFile& file);

// The same model with the user-defined piece `from` called `to`: how a reserved piece becomes a
// tag. Throws InvalidArgument when `from` is not a user-defined piece or `to` exists already.
std::string rename_spm_piece(std::string_view model, std::string_view from, std::string_view to);

}  // namespace yona
