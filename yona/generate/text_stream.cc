#include "yona/generate/text_stream.h"

#include <algorithm>

#include "yona/text/utf8.h"

namespace yona {

namespace {

// The length of the longest end of `text` that is the beginning of `stop`, but not all of it.
std::size_t begun(std::string_view text, std::string_view stop) {
  std::size_t length = std::min(text.size(), stop.size() - 1);
  while (length > 0 && !text.ends_with(stop.substr(0, length))) {
    --length;
  }
  return length;
}

// The bytes at the end of `text` that are the beginning of a character.
std::size_t unfinished_character(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    if (byte >= 0xC0U) {
      const std::size_t whole = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : 2;
      return length < whole ? length : 0;
    }
    if (byte < 0x80U) {
      break;
    }
  }
  return 0;
}

}  // namespace

TextStream::TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::size_t TextStream::certain_bytes() const {
  std::size_t held = unfinished_character(held_);
  for (const std::string& stop : stops_) {
    held = std::max(held, begun(held_, stop));
  }
  return held_.size() - held;
}

std::string TextStream::push(std::string_view bytes) {
  if (is_stopped_) {
    return {};
  }
  held_ += bytes;
  std::size_t end = std::string::npos;
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
  }
  is_stopped_ = end != std::string::npos;
  const std::size_t certain = is_stopped_ ? end : certain_bytes();
  const std::string_view held = held_;
  std::string text = lossy_utf8(held.substr(0, certain));
  held_.erase(0, is_stopped_ ? held_.size() : certain);
  return text;
}

std::string TextStream::finish() {
  std::string text = lossy_utf8(held_);
  held_.clear();
  return text;
}

}  // namespace yona
