// The number of edits between two sentences where moving a block of words is one edit (Snover et
// al. 2006), found greedily as tercom does.
#pragma once

#include <cstdint>
#include <span>

namespace yona {

// Insertions, deletions, substitutions and shifts that turn the hypothesis into the reference.
std::int64_t ter_edits(std::span<const std::uint32_t> hypothesis,
                       std::span<const std::uint32_t> reference);

}  // namespace yona
