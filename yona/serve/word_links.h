// Which words of a translation come from where in the source: the model's alignment of tokens,
// carried over to bytes of the two texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/service.h"

namespace yona::serve {

struct WordLink {
  std::size_t begin = 0, end = 0;  // bytes of the word in the translation
  std::size_t source = kNowhere;   // a byte of the source that it comes from
  static constexpr std::size_t kNowhere = std::string::npos;
};

// The words of a text, in order: a sign of punctuation is one, and so is each character of writing
// that has no spaces.
std::vector<WordLink> words_of(std::string_view text);

// The words of a hypothesis with what they come from. Where the model aligned nothing, a word comes
// from the same part of the sentence.
std::vector<WordLink> word_links(std::string_view source,
                                 const std::vector<std::string>& source_tokens,
                                 const HypothesisText& hypothesis);

}  // namespace yona::serve
