// The report that EVALB prints, byte for byte: a line for each sentence, totals, and the summary
// for all sentences and for short ones. Scripts that read EVALB's output read this.
#pragma once

#include <span>
#include <string>

#include "yona/score/bracket_match.h"

namespace yona {

std::string evalb_report(std::span<const BracketCounts> sentences);

}  // namespace yona
