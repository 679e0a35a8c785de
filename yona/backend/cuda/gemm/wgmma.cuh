// Products of a warpgroup (wgmma, sm_90a): 64 rows of A times 256 columns of B, or 128 rows of its
// transpose, 16 deep, both bf16 in shared memory, sums in f32 registers.
//
// Operands are tiles as TMA lays them out with CU_TENSOR_MAP_SWIZZLE_128B: rows of 128
// bytes, whose eight pieces of 16 bytes change places with the row (piece p of row r is at place
// p ^ r % 8), at addresses that are multiples of 1024. Eight such rows are the unit of the layout.
//   A, row-major [64, depth]: a row of the tile is 64 deep; the next eight rows are 1024 bytes on;
//     16 deeper is 32 bytes on.
//   A, column-major, that is Aᵀ row-major [depth, 64]: a row of the tile is its 64 rows at one
//     depth; the next eight depths are 1024 bytes on, 16 deeper is 2048 bytes on.
//   B, row-major [depth, 256]: a row of the tile is 64 columns at one depth; the next eight depths
//     are 1024 bytes on, the next 64 columns `panel` bytes; 16 deeper is 2048 bytes on.
//   B given as its transpose, row-major [256, depth] or [128, depth]: laid out as A, and described
//     as A.
// Lane l of warp w has, as sums[4 j + 2 half + e], row 16 w + l / 4 + 8 half and column
// 8 j + 2 (l % 4) + e.
#pragma once

#include "yona/backend/cuda/common/hopper.cuh"

namespace yona::cuda::hopper {

#ifdef YONA_HOPPER

// How A lies in shared memory: 64 deep to a row of the tile, or 64 of its rows at one depth.
enum class Left { by_rows, by_columns };
// How B does: 64 of its columns at one depth, or a column 64 deep (its transpose, row-major).
enum class Right { by_rows, by_columns };

// Bits 0-13 the address, 16-29 the leading and 32-45 the stride offset, all in units of 16 bytes;
// 62-63 the layout: 1 for 128 bytes.
__device__ inline std::uint64_t operand(std::uint32_t address, std::uint32_t leading,
                                        std::uint32_t stride) {
  return static_cast<std::uint64_t>((address & 0x3FFFFU) >> 4U) |
         static_cast<std::uint64_t>(leading >> 4U) << 16U |
         static_cast<std::uint64_t>(stride >> 4U) << 32U | std::uint64_t{1} << 62U;
}
__device__ inline std::uint64_t left_operand(std::uint32_t address) {
  return operand(address, 16, 1024);  // the leading offset is not used
}
__device__ inline std::uint64_t right_operand(std::uint32_t address, std::uint32_t panel) {
  return operand(address, panel, 1024);
}

// Before the first product, and after other code has touched the sums.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// What was begun since the last call is one group.
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits until all but the last kPending groups are done.
template <int kPending>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Keeps uses of the sums after the preceding wait.
template <int kSums>
__device__ inline void settle(float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    asm volatile("" : "+f"(sums[i])::"memory");
  }
}

// Begins sums = a · b, or sums += a · b.
template <Left kLeft = Left::by_rows, Right kRight = Right::by_rows>
__device__ inline void multiply(float (&sums)[128], std::uint64_t a, std::uint64_t b,
                                bool accumulate) {
#define YONA_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define YONA_16(i) YONA_4(i), YONA_4(i + 4), YONA_4(i + 8), YONA_4(i + 12)
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63,"
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,"
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
      "%127},"
      " %128, %129, accumulate, 1, 1, %131, %132;\n"
      "}"
      : YONA_16(0), YONA_16(16), YONA_16(32), YONA_16(48), YONA_16(64), YONA_16(80), YONA_16(96),
        YONA_16(112)
      : "l"(a), "l"(b), "r"(static_cast<std::uint32_t>(accumulate)),
        "n"(kLeft == Left::by_columns ? 1 : 0), "n"(kRight == Right::by_rows ? 1 : 0));
#undef YONA_16
#undef YONA_4
}

// The same with 128 rows of B's transpose, described by left_operand(), and with A in registers:
// lane l of warp w has rows 16 w + l / 4 and that + 8 at depths 2 (l % 4), then both 8 deeper.
__device__ inline void multiply_stationary(float (&sums)[64], const std::uint32_t (&a)[4],
                                           std::uint64_t b, bool accumulate) {
#define YONA_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define YONA_16(i) YONA_4(i), YONA_4(i + 4), YONA_4(i + 8), YONA_4(i + 12)
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.b32 accumulate, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},"
      " {%64, %65, %66, %67}, %68, accumulate, 1, 1, 0;\n"
      "}"
      : YONA_16(0), YONA_16(16), YONA_16(32), YONA_16(48)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),
        "r"(static_cast<std::uint32_t>(accumulate)));
#undef YONA_16
#undef YONA_4
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda::hopper
