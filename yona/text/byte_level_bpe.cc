#include "yona/text/byte_level_bpe.h"

#include <unicode/uchar.h>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

enum class CharacterClass : std::uint8_t { letter, number, space, other };

CharacterClass class_of(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  const auto mask = U_GET_GC_MASK(code);
  return (mask & U_GC_L_MASK) != 0    ? CharacterClass::letter
         : (mask & U_GC_N_MASK) != 0  ? CharacterClass::number
         : u_isUWhiteSpace(code) != 0 ? CharacterClass::space
                                      : CharacterClass::other;
}

// How many bytes at the front of `text` are characters of the class.
std::size_t run_of(CharacterClass wanted, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && class_of(utf8_character(text.substr(at))) == wanted) {
    at += utf8_length(text.substr(at));
  }
  return at;
}

std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) {
      return ending.size();
    }
  }
  return 0;
}

// White space in front of a word leaves its last character to the word.
std::size_t space_before_word(std::string_view text) {
  const std::size_t run = run_of(CharacterClass::space, text);
  if (run == text.size()) {
    return run;
  }
  std::size_t last = 0;  // where the last character of the run begins
  for (std::size_t at = 0; at < run; at += utf8_length(text.substr(at))) {
    last = at;
  }
  return last == 0 ? run : last;
}

std::size_t word_length(std::string_view text) {
  if (const std::size_t found = contraction(text); found > 0) {
    return found;
  }
  const std::size_t blank = text.front() == ' ' ? 1 : 0;
  const std::string_view word = text.substr(blank);
  if (!word.empty()) {
    const CharacterClass kind = class_of(utf8_character(word));
    if (kind != CharacterClass::space) {
      return blank + run_of(kind, word);
    }
  }
  return space_before_word(text);
}

// GPT-2's table: bytes that are visible characters in Latin-1 stand for themselves, the others take
// the characters from U+0100 on, in order.
bool is_visible(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

void append_utf8(char32_t c, std::string& out) {  // c below U+0800 is all that is needed
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else {
    out += static_cast<char>(0xC0U | (c >> 6U));
    out += static_cast<char>(0x80U | (c & 0x3FU));
  }
}

struct ByteCharacters {
  std::array<std::string, 256> of_byte;
  std::array<std::int16_t, 512> byte_of{};  // by code point; -1: none

  ByteCharacters() {
    byte_of.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const char32_t c = is_visible(byte) ? static_cast<char32_t>(byte) : next++;
      append_utf8(c, of_byte[static_cast<std::size_t>(byte)]);
      byte_of[c] = static_cast<std::int16_t>(byte);
    }
  }
};

const ByteCharacters& byte_characters() {
  static const ByteCharacters kTable;
  return kTable;
}

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t length = word_length(text);
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return words;
}

ByteLevelBpe::ByteLevelBpe(std::shared_ptr<const Vocabulary> vocabulary,
                           const std::vector<BpeMerges::Pair>& merges,
                           const ByteLevelOptions& options, std::string_view name)
    : vocabulary_(std::move(vocabulary)), merges_(merges, *vocabulary_, name), options_(options) {
  for (std::size_t byte = 0; byte < id_of_byte_.size(); ++byte) {
    const std::string& character = byte_characters().of_byte[byte];
    const auto id = vocabulary_->find(character);
    check<FormatError>(id.has_value(),
                       "{}: not byte-level BPE: the vocabulary has no '{}' for byte {}", name,
                       character, byte);
    id_of_byte_[byte] = *id;
  }
}

std::optional<std::int32_t> ByteLevelBpe::whole_word(std::string_view word) const {
  if (!options_.takes_whole_words) {
    return std::nullopt;
  }
  std::string visible;
  for (const char byte : word) {
    visible += character_of_byte(static_cast<unsigned char>(byte));
  }
  return vocabulary_->find_text(visible);
}

void ByteLevelBpe::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string prefixed;
  if (options_.add_prefix_space && !text.empty() && !text.starts_with(' ')) {
    prefixed.reserve(text.size() + 1);
    prefixed.push_back(' ');
    prefixed.append(text);
    text = prefixed;
  }
  const auto words = options_.cuts_words ? split_words(text) : std::vector{text};
  std::vector<std::int32_t> symbols;
  for (const std::string_view word : words) {
    if (const auto id = whole_word(word)) {
      ids.push_back(*id);
      continue;
    }
    symbols.clear();
    for (const char byte : word) {
      symbols.push_back(id_of_byte_[static_cast<unsigned char>(byte)]);
    }
    merges_.merge(symbols);
    ids.insert(ids.end(), symbols.begin(), symbols.end());
  }
}

std::string ByteLevelBpe::decode(std::span<const std::int32_t> ids) const {
  std::string bytes;
  for (const std::int32_t id : ids) {
    const std::string& piece = vocabulary_->piece(id);
    bytes += bytes_of_piece(piece).value_or(piece);
  }
  return lossy_utf8(bytes);
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  const auto& byte_of = byte_characters().byte_of;
  std::string bytes;
  for (const char32_t c : utf32_of(piece)) {
    if (c >= byte_of.size() || byte_of[c] < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(byte_of[c]);
  }
  return bytes;
}

const std::string& character_of_byte(unsigned char byte) { return byte_characters().of_byte[byte]; }

}  // namespace yona
