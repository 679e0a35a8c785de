// One row added to another, by one thread.
#pragma once

#include <cstdint>

namespace yona::cpu {

// to[j] += from[j] for j < n.
void add_to_row(const float* from, std::int64_t n, float* to);

}  // namespace yona::cpu
