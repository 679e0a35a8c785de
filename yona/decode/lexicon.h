// Tables of translations as text, as fast_align's and Moses' extract-lex write them and Marian
// reads them (lex.s2t): a line for each pair of pieces, `target source p(target | source)`.
#pragma once

#include <cstdint>
#include <filesystem>

#include "yona/decode/shortlist_counts.h"
#include "yona/text/vocabulary.h"

namespace yona {

struct LexiconLines {
  std::uint64_t read = 0;
  std::uint64_t unknown = 0;  // of these: with a piece that is not in the vocabulary (NULL, say)
};

// Adds the lines of a file to the counts; a target's probabilities count as its frequency. Throws
// IoError, or FormatError "FILE:LINE: …" for a line that is none.
LexiconLines read_lexicon(const std::filesystem::path& path, const Vocabulary& source,
                          const Vocabulary& target, ShortlistCounts& counts);

}  // namespace yona
