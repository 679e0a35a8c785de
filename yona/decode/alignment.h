// Word alignments from attention: soft ones, a row of weights for each output token, and hard ones
// in the form that other tools read, "0-0 1-2": source-target, from 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yona {

// [target][source], as in Hypothesis::attention.
using SoftAlignment = std::vector<std::vector<float>>;

// The same between words, from those of tokens and the word of each token (words_of(), -1 for
// none): summed over the tokens of a source word, averaged over the tokens of a target word (Garg
// et al. 2019). Tokens in no word, such as </s>, are left out.
SoftAlignment word_alignment(const SoftAlignment& tokens,
                             std::span<const std::int64_t> source_words,
                             std::span<const std::int64_t> target_words);

// Each target's best source, where it has any weight, ordered by source and target.
std::vector<std::pair<std::size_t, std::size_t>> hard_alignment_links(
    const SoftAlignment& alignment);
// The same as "0-0 1-2".
std::string hard_alignment_text(const SoftAlignment& alignment);
// All weights, as Marian writes them: targets separated by blanks, the sources of each by commas.
std::string soft_alignment_text(const SoftAlignment& alignment);

}  // namespace yona
