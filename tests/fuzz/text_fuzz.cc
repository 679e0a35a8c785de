// Any bytes as text: characters add up to it, and where it is UTF-8, sentences and the parts that
// fit do too.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/text/sentences.h"
#include "yona/text/utf8.h"

namespace {

constexpr std::size_t kFitting = 24;  // bytes: more than one character, mostly

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void walk_characters(std::string_view text) {
  for (std::string_view left = text; !left.empty();) {
    const std::size_t length = yona::utf8_length(left);
    require(length >= 1 && length <= 4 && length <= left.size());
    left.remove_prefix(length);
  }
}

void split(std::string_view text) {
  std::size_t bytes = 0;
  for (const std::string_view sentence : yona::split_sentences(text, "en")) {
    require(sentence.data() == text.data() + bytes && yona::is_utf8(sentence));
    bytes += sentence.size();
  }
  require(bytes == text.size());
  const auto fits = [](std::string_view part) { return part.size() <= kFitting; };
  const char* end = text.data();
  for (const std::string_view part : yona::split_to_fit(text, "de", fits).parts) {
    require(fits(part) && part.data() >= end && yona::is_utf8(part));
    end = part.data() + part.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  walk_characters(text);
  try {
    if (yona::is_utf8(text)) {
      split(text);
    }
  } catch (const yona::InvalidArgument&) {  // one character, with its accents, can be too long
  }
  return 0;
}
