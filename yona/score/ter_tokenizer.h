// How TER prepares a line: as tercom's Normalizer.java, as far as it is asked to.
#pragma once

#include <string>
#include <string_view>

#include "yona/score/metric_options.h"

namespace yona {

// Words with white space between them.
std::u32string tokenize_for_ter(const TerOptions& options, std::u32string_view line);

}  // namespace yona
