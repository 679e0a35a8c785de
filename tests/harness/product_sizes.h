// Sizes of products on a GPU that tests check in every element and bench/ops/cuda times.
#pragma once

#include <array>
#include <cstdint>

namespace yona::testing {

struct ProductSize {
  std::int64_t rows, depth, cols;
};

// Forward, rows · weightᵀ: at most 512 deep (base), deeper (gpt2-small, big), and neither a
// multiple of a tile.
inline constexpr std::array<ProductSize, 5> kForwardProducts{{{5000, 512, 1536},
                                                              {9001, 512, 1280},
                                                              {8200, 704, 4096},
                                                              {9001, 768, 3072},
                                                              {9001, 1024, 2304}}};

// Behind a relu, dY · weight: as deep as the model is wide.
inline constexpr std::array<ProductSize, 4> kGradientProducts{
    {{5000, 256, 1024}, {5000, 512, 2048}, {5000, 768, 3072}, {5000, 1024, 4096}}};

}  // namespace yona::testing
