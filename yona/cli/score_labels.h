// What `yona score --metrics accuracy,f1,matthews,spearman` prints.
#pragma once

#include <vector>

#include "yona/cli/score_flags.h"
#include "yona/score/segments.h"

namespace yona::cli {

// A line for each metric, or a table of several systems; JSON with --json. Returns the exit code.
int print_label_scores(const NamedSegments& references, const std::vector<NamedSegments>& systems,
                       const ScoreFlags& flags);

}  // namespace yona::cli
