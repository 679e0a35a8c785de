// The part of `yona attention` that reads files: figures of heads averaged over many sentences, and
// the error of alignments read off the attention.
#pragma once

#include <filesystem>

#include "yona/inspect/alignment.h"
#include "yona/inspect/figures.h"

namespace yona::cli {

struct CorpusFiles {
  std::filesystem::path source;
  std::filesystem::path target;  // empty: the model's own translations
  std::filesystem::path gold;    // links of each line, for alignment_scores()
  std::int64_t gold_base = 0;    // the number of a sentence's first word
};

// Blank lines, lines that are not UTF-8 and lines that are too long for the model are left out, and
// their number is logged. Throws FormatError when the files differ in length or nothing is left.
FigureSums corpus_figures(const TranslationModel& model, Backend& backend,
                          const CorpusFiles& files);
AlignmentScores alignment_scores(const TranslationModel& model, Backend& backend,
                                 const CorpusFiles& files);

}  // namespace yona::cli
