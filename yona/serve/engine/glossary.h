// Terms whose translation is given, by prefixes: where a translation lacks a term, attention tells
// where it should stand; what comes before it is kept, the term is put there, and the model goes on
// from there. Once for each term that is missing, so any model can do it, and the term is certain
// to come out. What it cannot do: inflect the term, or unsay what the model says of it elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/decode/translator.h"
#include "yona/serve/service.h"

namespace yona::serve {

// A term where it stands in a sentence.
struct TermUse {
  std::size_t begin = 0, end = 0;  // bytes of the sentence
  std::string target;
};

// From left to right; where terms overlap, the longest that begins first. A term that begins or
// ends with a letter or digit is found between others only where a word begins and ends.
std::vector<TermUse> uses_of(std::string_view sentence, const std::vector<GlossaryTerm>& terms);

// The text that the next try must begin with, so that it has one term more than this one; nothing
// when it has all. `given` are the tokens at the front that must stay: those of the prefix of this
// try. The translation must carry attention.
std::optional<std::string> next_prefix(std::string_view sentence, const std::vector<TermUse>& uses,
                                       const SentenceTranslation& translation, std::size_t given,
                                       const SubwordPair& subwords);

}  // namespace yona::serve
