// The vocabulary of a model: pieces ↔ ids, kept as Hugging Face's vocab.json (piece → id).
//
// Ids are laid out as OPUS-MT has them: </s> is 0, <unk> is 1, <pad> is the last one. Published
// models that place these three elsewhere are read as they are: ask end(), unknown() and pad().
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yona {

class Vocabulary {
 public:
  static constexpr std::string_view kEnd = "</s>";
  static constexpr std::string_view kUnknown = "<unk>";
  static constexpr std::string_view kPad = "<pad>";

  // The piece at position i gets id i. Throws FormatError naming `name` when a piece is repeated or
  // one of the three special pieces is missing.
  explicit Vocabulary(std::vector<std::string> pieces, std::string_view name = "vocabulary");

  // Reads and writes vocab.json. read() throws IoError or FormatError naming the file.
  static Vocabulary read(const std::filesystem::path& path);
  static Vocabulary parse(std::string_view json, std::string_view name);
  void write(const std::filesystem::path& path) const;
  std::string to_json() const;

  std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }
  std::int32_t end() const { return end_; }
  std::int32_t unknown() const { return unknown_; }
  std::int32_t pad() const { return pad_; }

  // The id, or nothing when there is no such piece.
  std::optional<std::int32_t> find(std::string_view piece) const;
  // The same without <s>, </s>, <unk> and <pad>, which no text stands for.
  std::optional<std::int32_t> find_text(std::string_view piece) const;
  // The id, or unknown().
  std::int32_t id(std::string_view piece) const { return find(piece).value_or(unknown_); }
  // Throws InvalidArgument when the id is out of range.
  const std::string& piece(std::int32_t id) const;

  // CRC-64 of all pieces in the order of their ids, in 16 hexadecimal digits.
  std::string fingerprint() const;

  bool operator==(const Vocabulary& other) const { return pieces_ == other.pieces_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
  };

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
  std::int32_t end_ = 0;
  std::int32_t unknown_ = 0;
  std::int32_t pad_ = 0;
};

}  // namespace yona
