// Products of a warpgroup (gemm/wgmma.cuh) that are narrow: 64 rows of A times 8 to 64 rows of B,
// both row-major and as deep as each other, so that sums = A Bᵀ. With weights as A and a few tokens
// as B, no tensor core multiplies what is not there.
//
// Tiles of both are 64 deep, as TMA lays them out (gemm/wgmma.cuh, A): left_operand()
// names either; 16 deeper is 32 bytes on.
#pragma once

#include "yona/backend/cuda/gemm/wgmma.cuh"

namespace yona::cuda::hopper {

#ifdef YONA_HOPPER

// Begins sums = a · bᵀ, or sums += a · bᵀ, for kRows rows of b.
template <int kRows>
__device__ inline void multiply_rows(float (&sums)[kRows / 2], std::uint64_t a, std::uint64_t b,
                                     bool accumulate) {
  static_assert(kRows == 8 || kRows == 16 || kRows == 32 || kRows == 64);
#define YONA_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define YONA_8(i) YONA_4(i), YONA_4(i + 4)
#define YONA_16(i) YONA_8(i), YONA_8(i + 8)
#define YONA_32(i) YONA_16(i), YONA_16(i + 16)
#define YONA_INPUTS "l"(a), "l"(b), "r"(static_cast<std::uint32_t>(accumulate))
  if constexpr (kRows == 8) {
    asm volatile(
        "{\n"
        ".reg .pred accumulate;\n"
        "setp.ne.b32 accumulate, %6, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3},"
        " %4, %5, accumulate, 1, 1, 0, 0;\n"
        "}"
        : YONA_4(0)
        : YONA_INPUTS);
  } else if constexpr (kRows == 16) {
    asm volatile(
        "{\n"
        ".reg .pred accumulate;\n"
        "setp.ne.b32 accumulate, %10, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7},"
        " %8, %9, accumulate, 1, 1, 0, 0;\n"
        "}"
        : YONA_8(0)
        : YONA_INPUTS);
  } else if constexpr (kRows == 32) {
    asm volatile(
        "{\n"
        ".reg .pred accumulate;\n"
        "setp.ne.b32 accumulate, %18, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15},"
        " %16, %17, accumulate, 1, 1, 0, 0;\n"
        "}"
        : YONA_16(0)
        : YONA_INPUTS);
  } else {
    asm volatile(
        "{\n"
        ".reg .pred accumulate;\n"
        "setp.ne.b32 accumulate, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31},"
        " %32, %33, accumulate, 1, 1, 0, 0;\n"
        "}"
        : YONA_32(0)
        : YONA_INPUTS);
  }
#undef YONA_INPUTS
#undef YONA_32
#undef YONA_16
#undef YONA_8
#undef YONA_4
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda::hopper
