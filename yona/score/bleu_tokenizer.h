// How BLEU cuts a line into words. The figure depends on it, so the signature names it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/score/metric_options.h"

namespace yona {

// "13a", "intl", "zh", "char", "none": as in signatures.
std::string name_of(BleuTokenizer tokenizer);
std::vector<std::string> bleu_tokenizer_names();
// Throws InvalidArgument naming those that exist; ja-mecab and other known ones are not among them.
BleuTokenizer bleu_tokenizer(std::string_view name);

// The line with white space between words, more of it than needed in places.
std::u32string tokenize(BleuTokenizer tokenizer, std::u32string_view line);

}  // namespace yona
