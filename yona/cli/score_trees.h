// What `yona score --metrics brackets` says about trees beyond the score: warnings and EVALB's
// report.
#pragma once

#include <vector>

#include "yona/score/segments.h"

namespace yona::cli {

// Warns of sentences that are left out of the figures, the first few by line, and of gold trees
// whose outer bracket has no label, which EVALB counts as a constituent.
void warn_about_trees(const std::vector<NamedSegments>& systems, const NamedSegments& gold);

// Prints what EVALB would print; returns the exit code.
int print_evalb_report(const NamedSegments& system, const References& gold);

}  // namespace yona::cli
