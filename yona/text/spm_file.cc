// The protobuf wire format, as far as SentencePiece's models use it.
//
//   ModelProto { repeated SentencePiece pieces = 1; TrainerSpec trainer_spec = 2;
//                NormalizerSpec normalizer_spec = 3; …; NormalizerSpec denormalizer_spec = 5; … }
//   SentencePiece { string piece = 1; float score = 2; Type type = 3; }
//   TrainerSpec { …; ModelType model_type = 3; …; repeated string user_defined_symbols = 31; … }
//   NormalizerSpec { …; bytes precompiled_charsmap = 2; bool add_dummy_prefix = 3;
//                    bool remove_extra_whitespaces = 4; bool escape_whitespaces = 5; … }

#include "yona/text/spm_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/protobuf.h"
#include "yona/text/charsmap_check.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

using protobuf::append_bytes;
using enum protobuf::WireType;

struct Field {
  std::uint32_t number = 0;
  std::uint8_t type = varint;
  std::uint64_t value = 0;   // of a varint or a fixed field
  std::string_view content;  // of a bytes field
  std::string_view whole;    // tag and content, for copying
};

// Walks the fields of one message; damaged input ends in a FormatError naming the model.
class FieldReader {
 public:
  FieldReader(std::string_view message, std::string_view name) : left_(message), name_(name) {}

  std::optional<Field> next() {
    if (left_.empty()) {
      return std::nullopt;
    }
    const char* begin = left_.data();
    Field field;
    const std::uint64_t tag = read_varint();
    field.number = static_cast<std::uint32_t>(tag >> 3U);
    field.type = static_cast<std::uint8_t>(tag & 7U);
    switch (field.type) {
      case varint:
        field.value = read_varint();
        break;
      case bytes:
        field.content = take(read_varint());
        break;
      case fixed32:
      case fixed64: {
        const std::string_view raw = take(field.type == fixed32 ? 4 : 8);
        std::memcpy(&field.value, raw.data(), raw.size());
        break;
      }
      default:
        damaged();
    }
    field.whole = {begin, static_cast<std::size_t>(left_.data() - begin)};
    return field;
  }

 private:
  [[noreturn]] void damaged() const {
    fail<FormatError>("{}: not a SentencePiece model, or a damaged one", name_);
  }

  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) {
      damaged();
    }
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::uint64_t read_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) {
        return value;
      }
    }
    damaged();
  }

  std::string_view left_;
  std::string_view name_;
};

SpmPiece parse_piece(std::string_view message, std::string_view name) {
  SpmPiece piece;
  FieldReader reader(message, name);
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == 1 && field->type == bytes) {
      piece.text = field->content;
    } else if (field->number == 2 && field->type == fixed32) {
      const auto raw = static_cast<std::uint32_t>(field->value);
      std::memcpy(&piece.score, &raw, sizeof(raw));
    } else if (field->number == 3 && field->type == varint) {
      check<FormatError>(field->value >= 1 && field->value <= 6,
                         "{}: a piece is of unknown type {}", name, field->value);
      piece.kind = static_cast<SpmPiece::Kind>(field->value);
    }
  }
  check<FormatError>(is_utf8(piece.text), "{}: a piece is not UTF-8", name);
  // The library's trie takes pieces up to the first NUL, and ends the program at an empty one.
  check<FormatError>(piece.text.find('\0') == std::string::npos, "{}: a piece holds a NUL byte",
                     name);
  check<FormatError>(std::isfinite(piece.score), "{}: the score of piece '{}' is {}", name,
                     piece.text, piece.score);
  return piece;
}

SubwordAlgorithm parse_algorithm(std::string_view trainer_spec, std::string_view name) {
  FieldReader reader(trainer_spec, name);
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == 3 && field->type == varint) {
      check<FormatError>(field->value >= 1 && field->value <= 4,
                         "{}: unknown SentencePiece model type {}", name, field->value);
      return static_cast<SubwordAlgorithm>(field->value);
    }
  }
  return SubwordAlgorithm::unigram;  // the format's default
}

SpmNormalizer parse_normalizer(std::string_view message, std::string_view name) {
  SpmNormalizer normalizer;
  FieldReader reader(message, name);
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == 2 && field->type == bytes) {
      normalizer.precompiled_charsmap = field->content;
      if (!field->content.empty()) {  // here, since a field that comes twice is read by the library
        check_charsmap(field->content, name);
      }
    } else if (field->number == 3 && field->type == varint) {
      normalizer.add_dummy_prefix = field->value != 0;
    } else if (field->number == 4 && field->type == varint) {
      normalizer.remove_extra_whitespaces = field->value != 0;
    } else if (field->number == 5 && field->type == varint) {
      normalizer.escape_whitespaces = field->value != 0;
    }
  }
  return normalizer;
}

void append_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  protobuf::append_key(out, field, varint);
  protobuf::append_varint(out, value);
}

std::string piece_message(const SpmPiece& piece) {
  std::string message;
  append_bytes(message, 1, piece.text);
  protobuf::append_key(message, 2, fixed32);
  const auto bits = __builtin_bit_cast(std::uint32_t, piece.score);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    message += static_cast<char>((bits >> shift) & 0xFFU);
  }
  append_number(message, 3, static_cast<std::uint64_t>(piece.kind));
  return message;
}

std::string normalizer_message(const SpmNormalizer& normalizer) {
  std::string message;
  append_bytes(message, 2, normalizer.precompiled_charsmap);
  append_number(message, 3, normalizer.add_dummy_prefix ? 1 : 0);
  append_number(message, 4, normalizer.remove_extra_whitespaces ? 1 : 0);
  append_number(message, 5, normalizer.escape_whitespaces ? 1 : 0);
  return message;
}

// The message with each bytes field `number` that equals `from` replaced by `to`.
std::string replace_text(std::string_view message, std::uint32_t number, std::string_view from,
                         std::string_view to) {
  std::string out;
  FieldReader reader(message, "sub-word model");
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == number && field->type == bytes && field->content == from) {
      append_bytes(out, number, to);
    } else {
      out += field->whole;
    }
  }
  return out;
}

}  // namespace

std::string_view name_of(SubwordAlgorithm algorithm) {
  switch (algorithm) {
    case SubwordAlgorithm::unigram:
      return "unigram";
    case SubwordAlgorithm::bpe:
      return "bpe";
    case SubwordAlgorithm::word:
      return "word";
    case SubwordAlgorithm::character:
      return "character";
  }
  return "?";
}

SpmFile parse_spm(std::string_view model, std::string_view name) {
  SpmFile file;
  FieldReader reader(model, name);
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == 1 && field->type == bytes) {
      file.pieces.push_back(parse_piece(field->content, name));
    } else if (field->number == 2 && field->type == bytes) {
      file.algorithm = parse_algorithm(field->content, name);
    } else if (field->number == 3 && field->type == bytes) {
      file.normalizer = parse_normalizer(field->content, name);
    } else if (field->number == 5 && field->type == bytes) {
      parse_normalizer(field->content, name);  // not used here, but the library follows it
    }
  }
  check<FormatError>(!file.pieces.empty(), "{}: not a SentencePiece model: it has no pieces", name);
  return file;
}

std::string write_spm(const SpmFile& file) {
  std::string model;
  for (const SpmPiece& piece : file.pieces) {
    append_bytes(model, 1, piece_message(piece));
  }
  std::string trainer;
  append_number(trainer, 3, static_cast<std::uint64_t>(file.algorithm));
  const bool has_bytes = std::any_of(file.pieces.begin(), file.pieces.end(), [](const auto& piece) {
    return piece.kind == SpmPiece::Kind::byte;
  });
  append_number(trainer, 35, has_bytes ? 1 : 0);  // byte_fallback
  append_bytes(model, 2, trainer);
  append_bytes(model, 3, normalizer_message(file.normalizer));
  return model;
}

std::string rename_spm_piece(std::string_view model, std::string_view from, std::string_view to) {
  bool found = false;
  for (const SpmPiece& piece : parse_spm(model, "sub-word model").pieces) {
    check(piece.text != to, "sub-words: cannot rename '{}': there is a piece '{}' already", from,
          to);
    found = found || (piece.text == from && piece.kind == SpmPiece::Kind::user_defined);
  }
  check(found, "sub-words: cannot rename '{}': it is not a reserved piece or a tag", from);
  std::string out;
  FieldReader reader(model, "sub-word model");
  while (const std::optional<Field> field = reader.next()) {
    if (field->number == 1 && field->type == bytes) {
      append_bytes(out, 1, replace_text(field->content, 1, from, to));
    } else if (field->number == 2 && field->type == bytes) {
      append_bytes(out, 2, replace_text(field->content, 31, from, to));
    } else {
      out += field->whole;
    }
  }
  return out;
}

}  // namespace yona
