// What is written for each translated line: its translation, an n-best list in the manner of Moses
// and Marian, or an object of JSON with everything there is.
#pragma once

#include <span>
#include <string>

#include "yona/decode/line_translator.h"

namespace yona {

enum class OutputForm : std::uint8_t { text, n_best, json };

// The lines that one input line becomes, each with its LF.
//   text     one line; LF inside a translation becomes a space, so that lines stay lines
//   n_best   "0 ||| text ||| F0= log-probability ||| score", numbered from 0; one line each
//   json     {"line": 1, "source": …, "translations": [{"text", "score", "log_probability",
//            "tokens": [{"piece", "score"}]}]}
std::string formatted(const SourceLine& line, std::span<const LineTranslation> translations,
                      OutputForm form, const Vocabulary& target);

}  // namespace yona
