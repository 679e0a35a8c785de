// "did you mean …?": the name in a list that a mistyped one is closest to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

// How many single-character insertions, deletions, replacements and swaps of neighbours turn one
// into the other (optimal string alignment). Bytes count as characters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest of `names`, the first of equals; nothing when even that one is so far away that it
// would be a guess: more than a third of the letters wrong.
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& names);

}  // namespace yona
