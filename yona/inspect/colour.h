// The colours of pictures: one for each head, told apart as well as so many can be.
#pragma once

#include <cstdint>
#include <string>

namespace yona {

// "#1f77b4": the colour of a head out of `heads`, on white and on black.
std::string head_colour(std::int64_t head, std::int64_t heads);

}  // namespace yona
