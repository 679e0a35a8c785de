// Labels to be scored, one a line: plain, a column of a tab-separated file, or the output of
// `yona classify`.
#pragma once

#include <string>

#include "yona/score/segments.h"

namespace yona {

enum class LabelSide : std::uint8_t { references, predictions };

// Replaces the lines by their labels. `column` is the name of a column, where the first line names
// them, or its number, from 1. Without it: the first column; of references, the column called label
// where the first line has one among others; of predictions, `label` or `value` of JSON objects.
// Throws FormatError naming file and line for a missing column, an empty label and broken JSON.
NamedSegments label_segments(NamedSegments file, LabelSide side, const std::string& column = "");

}  // namespace yona
