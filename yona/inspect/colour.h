// The colours of pictures: one for each head, as different from each other as possible.
#pragma once

#include <cstdint>
#include <string>

namespace yona {

// "#1f77b4": the colour of a head out of `heads`, on white and on black.
std::string head_colour(std::int64_t head, std::int64_t heads);

}  // namespace yona
