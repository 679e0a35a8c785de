// What the kernels of residual_norm_backward.cu are given.
#pragma once

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/norm/backward.cuh"

namespace yona::cuda {

template <class T>
struct NormBackward {
  Rows<T> s, dy, ds, dx, dr;
  Rows<float> weight, statistics;
  std::int64_t rows = 0;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
  bool accumulate_dx = false, accumulate_dr = false;
  float* dweight = nullptr;  // [blocks, d] partial sums, each optional
  float* dbias = nullptr;
  float* dr_sums = nullptr;
};

}  // namespace yona::cuda
