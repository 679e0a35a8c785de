// A text as the sentences to translate and what is between them, so that a translation can be
// put together with its lines and paragraphs where they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yona::serve {

// none: the text is one sentence; lines: as `yona translate` does; sentences: cut at their ends
// too. kLongestSentence holds for all of them.
enum class Split : std::uint8_t { none, lines, sentences };

// Bytes. What is longer is cut at sentence ends, and where there are none at a blank: it would be
// decoded in one go, and all other requests would wait for it.
constexpr std::size_t kLongestSentence = 1000;

struct Segments {
  std::vector<std::string> sentences;  // none of them blank
  std::vector<std::string> between;    // blanks before each, and after the last: one more
};

// `language` is the text's. Joined again by join() with themselves, segments are the text.
Segments segments_of(std::string_view text, Split split, const std::string& language);

// Translations in the place of the sentences. Between sentences of a line stands a space where the
// target's language has one, whatever the source's has; other blanks stay as they are.
struct Joined {
  std::string text;
  std::vector<std::size_t> starts;  // byte at which each translation begins
};
Joined join(const Segments& segments, const std::vector<std::string>& translations,
            bool has_spaces);

}  // namespace yona::serve
