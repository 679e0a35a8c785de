#include "yona/text/piece_bpe.h"

#include <algorithm>
#include <charconv>
#include <optional>

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

PieceBpe::PieceBpe(std::shared_ptr<const Vocabulary> vocabulary,
                   const std::vector<BpeMerges::Pair>& merges, PieceBpeOptions options,
                   std::string_view name)
    : vocabulary_(std::move(vocabulary)),
      merges_(merges, *vocabulary_, name),
      options_(std::move(options)) {}

void PieceBpe::append_symbols(std::string_view character,
                              std::vector<std::int32_t>& symbols) const {
  if (const auto id = vocabulary_->find(character)) {
    symbols.push_back(*id);
    return;
  }
  if (options_.byte_fallback) {
    std::vector<std::int32_t> bytes;
    for (const char byte : character) {
      const auto id =
          vocabulary_->find(fmt::format("<0x{:02X}>", static_cast<unsigned char>(byte)));
      if (id) {
        bytes.push_back(*id);
      }
    }
    if (bytes.size() == character.size()) {
      symbols.insert(symbols.end(), bytes.begin(), bytes.end());
      return;
    }
  }
  const std::int32_t unknown = vocabulary_->unknown();
  if (!options_.fuses_unknown || symbols.empty() || symbols.back() != unknown) {
    symbols.push_back(unknown);
  }
}

void PieceBpe::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::vector<std::int32_t> symbols;
  while (!word.empty()) {
    const std::size_t length = utf8_length(word);
    append_symbols(word.substr(0, length), symbols);
    word.remove_prefix(length);
  }
  merges_.merge(symbols);
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

void PieceBpe::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string normalised(text);
  for (const auto& normalise : options_.normalisers) {
    normalised = normalise(normalised);
  }
  const std::vector<std::string_view> parts = options_.splits_at_whitespace
                                                  ? split_whitespace(normalised)
                                                  : std::vector<std::string_view>{normalised};
  for (const std::string_view part : parts) {
    std::string marked = replaced(part, " ", kWordStart);
    if (options_.prefix && !marked.empty() && !marked.starts_with(kWordStart)) {
      marked.insert(0, kWordStart);
    }
    if (!options_.splits_words) {
      encode_word(marked, ids);
      continue;
    }
    for (const std::string_view word : split_before_marks(marked)) {
      encode_word(word, ids);
    }
  }
}

std::string PieceBpe::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    const std::string& piece = vocabulary_->piece(id);
    const auto byte = options_.byte_fallback ? byte_of_piece(piece) : std::nullopt;
    text += byte ? std::string(1, *byte) : piece;
  }
  text = replaced(repaired_utf8(text), kWordStart, " ");
  return options_.prefix && text.starts_with(' ') ? text.substr(1) : text;
}

}  // namespace yona
