// From sub-words to words: which word each token belongs to, and attention between words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/inspect/attention.h"
#include "yona/text/subword.h"

namespace yona {

// The ids of a line of words with blanks between them, and the word of each id.
struct WordTokens {
  std::vector<std::string> words;
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> word_of;  // for each id
};

// Each word is encoded by itself, which gives the ids of the whole line, since no piece reaches
// over a blank.
WordTokens word_tokens(const Subword& subword, const std::string& line);

// When the cross attention speaks for a target token: at the step that writes it, or at the next
// one, when it has just been read (Chen et al. 2020: better, above all in upper layers).
enum class AlignAt : std::uint8_t { writing, reading };

// [target words, source words] from one head's cross attention [n+1, m+1] (the last of each is
// </s>): summed over the pieces of a source word, averaged over the pieces of a target word, as in
// Garg et al. 2019. What goes to </s> is left out, so rows sum to one at most.
std::vector<float> word_attention(std::span<const float> weights, const WordTokens& source,
                                  const WordTokens& target, AlignAt at);

}  // namespace yona
