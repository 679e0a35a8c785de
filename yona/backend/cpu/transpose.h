// Transposition of a matrix, by one thread.
#pragma once

#include <cstdint>

namespace yona::cpu {

// to[j · to_stride + i] = from[i · from_stride + j] for i < rows, j < cols.
void transpose(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t cols,
               float* to, std::int64_t to_stride);

}  // namespace yona::cpu
