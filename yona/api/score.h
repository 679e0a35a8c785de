// BLEU, chrF and TER of a text against its references: sacreBLEU's figures to the last digit.
//
//   yona::bleu({"a b c d e"}, {{"a b c d f"}}).value
#pragma once

#include <string>
#include <vector>

#include "yona/score/metric_options.h"

namespace yona {

struct CorpusScore {
  std::string name;       // "BLEU", "chrF2++", "TER"
  double value = 0;       // of BLEU and chrF more is better, of TER less
  std::string details;    // BLEU's precisions, brevity penalty and lengths; "" for the others
  std::string signature;  // how it was counted, as sacreBLEU writes it
};

// One text for each line, and one or more references for it. Throw InvalidArgument when their
// numbers differ, there are none or an option cannot be; FormatError for text that is not UTF-8.
CorpusScore bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const BleuOptions& options = {});
CorpusScore chrf(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const ChrfOptions& options = {});
CorpusScore ter(const std::vector<std::string>& hypotheses,
                const std::vector<std::vector<std::string>>& references,
                const TerOptions& options = {});

}  // namespace yona
