#include "yona/text/tokenizer/plain_segmenters.h"

#include <unicode/uchar.h>

#include "yona/text/utf8.h"

namespace yona {

std::vector<std::string_view> whitespace_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  std::size_t at = 0;
  const auto end_word = [&](std::size_t next) {
    if (at > begin) {
      words.push_back(text.substr(begin, at - begin));
    }
    begin = next;
  };
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const std::size_t length = utf8_length(rest);
    if (u_isUWhiteSpace(static_cast<UChar32>(utf8_character(rest))) != 0) {
      end_word(at + length);
    }
    at += length;
  }
  end_word(at);
  return words;
}

void CharacterSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    ids.push_back(vocabulary_->id(text.substr(0, length)));
    text.remove_prefix(length);
  }
}

std::string CharacterSegmenter::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    text += vocabulary_->piece(id);
  }
  return text;
}

void WhitespaceSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  for (const std::string_view word : whitespace_words(text)) {
    ids.push_back(vocabulary_->id(word));
  }
}

std::string WhitespaceSegmenter::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    text += text.empty() ? "" : " ";
    text += vocabulary_->piece(id);
  }
  return text;
}

}  // namespace yona
