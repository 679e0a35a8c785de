// How TER prepares a line: as tercom's Normalizer.java, as far as it is asked to.
#pragma once

#include <string>
#include <string_view>

namespace yona {

struct TerOptions {
  bool normalized = false;      // entities replaced, European punctuation cut off
  bool no_punct = false;        // . , ? : ; ! " ( ) removed
  bool asian_support = false;   // with the two above: the same for Chinese and Japanese
  bool case_sensitive = false;  // otherwise lower case
};

// Words with white space between them.
std::u32string tokenize_for_ter(const TerOptions& options, std::u32string_view line);

}  // namespace yona
