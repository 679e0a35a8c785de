// Tags inside a sentence, put where they belong in its translation.
//
// An element goes around the words that come from its own: the longest stretch of them where they
// are scattered, a part of a word where that word stayed. What stands alone, or has lost its words,
// stays beside the word it stood at. So every tag is there once, and the tags nest as they did.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "yona/serve/markup.h"
#include "yona/serve/word_links.h"

namespace yona::serve {

// The translation of a run as HTML. `words` are its words in order, with bytes of the run's text as
// their sources.
std::string with_tags(const MarkupRun& run, std::string_view translation,
                      std::span<const WordLink> words);

}  // namespace yona::serve
