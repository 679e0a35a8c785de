#include "yona/text/piece_segmenter.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <unicode/uchar.h>

#include "yona/text/spm_file.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

bool is_white_space(std::string_view text) {
  return u_isUWhiteSpace(static_cast<UChar32>(utf8_character(text))) != 0;
}

// The stretches between white space.
std::vector<std::string_view> split_whitespace(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (is_white_space(text.substr(at))) {
      if (at > begin) {
        words.push_back(text.substr(begin, at - begin));
      }
      begin = at + length;
    }
    at += length;
  }
  if (begin < text.size()) {
    words.push_back(text.substr(begin));
  }
  return words;
}

// "▁a▁b" → "▁a", "▁b"
std::vector<std::string_view> split_before_marks(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t from = text.starts_with(kWordStart) ? kWordStart.size() : 0;
    const std::size_t end = std::min(text.find(kWordStart, from), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// The byte of a piece such as <0xE4>.
std::optional<char> byte_of_piece(std::string_view piece) {
  int byte = 0;
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>' ||
      std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16).ptr != piece.data() + 5) {
    return std::nullopt;
  }
  return static_cast<char>(byte);
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at = 0; (at = text.find(from)) != std::string_view::npos && !from.empty();) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

std::string with_single_spaces(std::string_view text, std::string_view to) {
  std::string out;
  while (!text.empty()) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    if (spaces >= 2) {
      out += to;
      text.remove_prefix(spaces);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string_view without_space(std::string_view text, bool left, bool right) {
  while (left && !text.empty() && is_white_space(text)) {
    text.remove_prefix(utf8_length(text));
  }
  while (right && !text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U) {
      --last;
    }
    const std::string_view character = text.substr(last);  // and more, where it is not UTF-8
    if (utf8_length(character) != character.size() || !is_white_space(character)) {
      break;
    }
    text = text.substr(0, last);
  }
  return text;
}

PieceSegmenter::PieceSegmenter(std::shared_ptr<const Vocabulary> vocabulary,
                               PieceTextOptions options)
    : vocabulary_(std::move(vocabulary)), options_(std::move(options)) {}

bool PieceSegmenter::append_bytes(std::string_view text, std::vector<std::int32_t>& ids) const {
  if (!options_.byte_fallback) {
    return false;
  }
  const std::size_t before = ids.size();
  for (const char byte : text) {
    const auto id = vocabulary_->find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
    if (!id) {
      ids.resize(before);
      return false;
    }
    ids.push_back(*id);
  }
  return true;
}

void PieceSegmenter::encode_part(std::string_view part, bool is_first,
                                 std::vector<std::int32_t>& ids) const {
  std::string marked = replaced(part, " ", kWordStart);
  const bool has_prefix =
      options_.prefix == WordPrefix::always || (options_.prefix == WordPrefix::first && is_first);
  if (has_prefix && !marked.starts_with(kWordStart)) {
    marked.insert(0, kWordStart);
  }
  if (!options_.splits_words) {
    encode_word(marked, ids);
    return;
  }
  for (const std::string_view word : split_before_marks(marked)) {
    encode_word(word, ids);
  }
}

void PieceSegmenter::encode_parts(std::string_view text, bool is_first,
                                  std::vector<std::int32_t>& ids) const {
  std::string normalised(text);
  for (const auto& normalise : options_.normalisers) {
    normalised = normalise(normalised);
  }
  if (normalised.empty()) {
    return;
  }
  if (!options_.splits_at_whitespace) {
    encode_part(normalised, is_first, ids);
    return;
  }
  for (const std::string_view part : split_whitespace(normalised)) {
    encode_part(part, is_first && part.data() == normalised.data(), ids);
  }
}

void PieceSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  encode_parts(text, true, ids);
}

void PieceSegmenter::encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const {
  encode_parts(text, false, ids);
}

std::string PieceSegmenter::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    const std::string& piece = vocabulary_->piece(id);
    const auto byte = options_.byte_fallback ? byte_of_piece(piece) : std::nullopt;
    text += byte ? std::string(1, *byte) : piece;
  }
  text = replaced(repaired_utf8(text), kWordStart, " ");
  const bool strips = options_.prefix != WordPrefix::never && text.starts_with(' ');
  return strips ? text.substr(1) : text;
}

}  // namespace yona
