// What is written for each translated line: its translation, an n-best list in the format of Moses
// and Marian, or a JSON object with everything.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "yona/decode/source_line.h"
#include "yona/decode/translation.h"

namespace yona {

enum class OutputForm : std::uint8_t { text, n_best, json };

// Word alignments of each translation: none, "0-0 1-2", or all weights.
enum class AlignmentForm : std::uint8_t { none, hard, soft };

struct TranslationFormat {
  OutputForm form = OutputForm::text;
  AlignmentForm alignment = AlignmentForm::none;  // translations must have one
  bool word_scores = false;                       // json has them always
};

// The lines that one input line becomes, each with its LF.
//   text     one line; LF inside a translation becomes a space, so that lines stay lines
//   n_best   "0 ||| text ||| F0= log-probability ||| score", numbered from 0; one line each
//   json     {"line": 1, "source": …, "translations": [{"text", "score", "log_probability",
//            "tokens": [{"piece", "score"}], "word_scores": [-0.1, …]}]}
// After the text come, as Marian has them, the alignment "||| 0-0 1-2" (soft: each target word's
// weights of the source words, "0.9000,0.1000 0.0000,1.0000") and "||| WordScores= -0.1 -0.2". In
// json a hard alignment is a list of [source, target], a soft one a list of weights for each target
// word.
std::string formatted(const SourceLine& line, std::span<const Translation> translations,
                      const TranslationFormat& format);

}  // namespace yona
