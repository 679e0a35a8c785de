#include "yona/text/word_segmenter.h"

#include <algorithm>

namespace yona {

void WordSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  constexpr std::string_view kSpaces = " \t\r\n";
  for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    ids.push_back(vocabulary_->id(text.substr(begin, end - begin)));
    begin = text.find_first_not_of(kSpaces, end);
  }
}

std::string WordSegmenter::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    text += text.empty() ? "" : " ";
    text += vocabulary_->piece(id);
  }
  return text;
}

}  // namespace yona
