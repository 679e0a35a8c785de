// The instructions that kernels write in PTX, as functions with the instruction's name and the
// statement's operands, which is what convert.py makes of an asm statement.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_fp16.h>

#include "tools/cuda_on_host/grid.h"

// Shared addresses are distances from the beginning of a block's dynamic shared memory.
inline std::size_t __cvta_generic_to_shared(const void* address) {
  return static_cast<std::size_t>(static_cast<const char*>(address) -
                                  static_cast<const char*>(cuda_on_host::dynamic_shared()));
}

namespace cuda_on_host {

inline char* shared_at(std::uint32_t address) {
  return static_cast<char*>(dynamic_shared()) + address;
}

// Grids run one after another.
inline void griddepcontrol_launch_dependents() {}
inline void griddepcontrol_wait() {}

inline void ex2_approx_ftz_f32(float& y, float x) { y = std::exp2(x); }

inline void prmt_b32(std::uint32_t& bytes, std::uint32_t low, std::uint32_t high,
                     std::uint32_t which) {
  const std::uint64_t all = std::uint64_t{high} << 32U | low;
  bytes = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t nibble = which >> (4 * i) & 15U;
    const auto byte = static_cast<std::uint32_t>(all >> (nibble % 8 * 8) & 0xFFU);
    bytes |= (nibble < 8 ? byte : byte >= 0x80U ? 0xFFU : 0U) << (8 * i);
  }
}

inline float half_of(std::uint32_t pair, int which) {
  const std::uint32_t bits = which == 0 ? pair << 16U : pair & 0xFFFF0000U;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float f16_of(std::uint32_t pair, int which) {
  __half value;
  const auto bits = static_cast<std::uint16_t>(which == 0 ? pair : pair >> 16U);
  std::memcpy(&value, &bits, sizeof(value));
  return __half2float(value);
}

// c += a · b. Lane 4i + j has rows i and i + 8 of a and c, columns 2j, 2j + 1 and those 8 farther
// of a, column i of b (PTX ISA, "Matrix fragments for mma.m16n8k16").
template <class Half>
void multiply_tiles(float* const (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                    std::uint32_t b1, const Half& half) {
  const auto both = [](std::uint32_t low, std::uint32_t high) {
    return std::uint64_t{low} | std::uint64_t{high} << 32U;
  };
  std::uint64_t left[2][32];  // by which eight columns
  std::uint64_t right[32];
  std::copy_n(exchange(both(a[0], a[1])), 32, left[0]);
  std::copy_n(exchange(both(a[2], a[3])), 32, left[1]);
  std::copy_n(exchange(both(b0, b1)), 32, right);
  for (int i = 0; i < 4; ++i) {
    const int row = lane() / 4;
    const int column = lane() % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k) {
      const std::uint64_t x = left[k / 8][row * 4 + k % 8 / 2] >> (i / 2 * 32);
      const std::uint64_t y = right[column * 4 + k % 8 / 2] >> (k / 8 * 32);
      *sums[i] +=
          half(static_cast<std::uint32_t>(x), k % 2) * half(static_cast<std::uint32_t>(y), k % 2);
    }
  }
}
inline void mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32(float& c0, float& c1, float& c2,
                                                                float& c3, std::uint32_t a0,
                                                                std::uint32_t a1, std::uint32_t a2,
                                                                std::uint32_t a3, std::uint32_t b0,
                                                                std::uint32_t b1) {
  multiply_tiles({&c0, &c1, &c2, &c3}, {a0, a1, a2, a3}, b0, b1, half_of);
}
inline void mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32(float& c0, float& c1, float& c2,
                                                              float& c3, std::uint32_t a0,
                                                              std::uint32_t a1, std::uint32_t a2,
                                                              std::uint32_t a3, std::uint32_t b0,
                                                              std::uint32_t b1) {
  multiply_tiles({&c0, &c1, &c2, &c3}, {a0, a1, a2, a3}, b0, b1, f16_of);
}

// Four 8×8 matrices; lanes 8m … 8m + 7 give the rows of matrix m, and each lane gets two neighbours
// of each matrix: of a row, or of a column.
inline void load_matrices(std::uint32_t* const (&r)[4], std::uint32_t address, bool transposed) {
  const std::uint64_t* rows = exchange(address);
  for (int m = 0; m < 4; ++m) {
    *r[m] = 0;
    for (int e = 0; e < 2; ++e) {
      const int across = lane() % 4 * 2 + e;
      const int along = lane() / 4;
      const auto row = static_cast<std::uint32_t>(rows[m * 8 + (transposed ? across : along)]);
      const auto* from = reinterpret_cast<const std::uint16_t*>(shared_at(row));
      *r[m] |= std::uint32_t{from[transposed ? along : across]} << (16 * e);
    }
  }
}
inline void ldmatrix_sync_aligned_m8n8_x4_shared_b16(std::uint32_t& r0, std::uint32_t& r1,
                                                     std::uint32_t& r2, std::uint32_t& r3,
                                                     std::uint32_t address) {
  load_matrices({&r0, &r1, &r2, &r3}, address, false);
}
inline void ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16(std::uint32_t& r0, std::uint32_t& r1,
                                                           std::uint32_t& r2, std::uint32_t& r3,
                                                           std::uint32_t address) {
  load_matrices({&r0, &r1, &r2, &r3}, address, true);
}

// The other way: each lane puts down its two neighbours of a row of each matrix.
inline void stmatrix_sync_aligned_m8n8_x4_shared_b16(std::uint32_t address, std::uint32_t r0,
                                                     std::uint32_t r1, std::uint32_t r2,
                                                     std::uint32_t r3) {
  const std::uint64_t* rows = exchange(address);
  const std::uint32_t words[4] = {r0, r1, r2, r3};
  for (int m = 0; m < 4; ++m) {
    const auto row = static_cast<std::uint32_t>(rows[m * 8 + lane() / 4]);
    std::memcpy(shared_at(row) + lane() % 4 * 4, &words[m], sizeof(words[m]));
  }
}

// Hardware barriers of some of a block's threads.
inline void bar_sync(int id, int threads) { meet_at(id, threads, true); }
inline void bar_arrive(int id, int threads) { meet_at(id, threads, false); }

// 16 bytes or 4, of which `bytes` are copied and the others zero. What was there is lost at once;
// what is copied is there when it has been waited for.
inline void copy_later(std::uint32_t to, const void* from, int bytes, int size) {
  std::memset(shared_at(to), 0xFF, static_cast<std::size_t>(size));
  copies().push_back({shared_at(to), from, bytes, size});
}
inline void cp_async_cg_shared_global(std::uint32_t to, const void* from, int bytes) {
  copy_later(to, from, bytes, 16);
}
inline void cp_async_ca_shared_global(std::uint32_t to, const void* from, int bytes) {
  copy_later(to, from, bytes, 4);
}
inline void cp_async_cg_shared_global_L2(std::uint32_t to, const void* from,
                                         std::uint64_t /*policy*/) {
  copy_later(to, from, 16, 16);
}
inline void cp_async_commit_group() {
  for (Copy& copy : copies()) {
    ++copy.groups;
  }
}
// Of the groups that were committed, the last `others` may be on their way still.
inline void cp_async_wait_group(int others) {
  std::erase_if(copies(), [others](const Copy& copy) {
    if (copy.groups <= others) {
      return false;
    }
    std::memset(copy.to, 0, static_cast<std::size_t>(copy.size));
    std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
    return true;
  });
}
inline void cp_async_wait_all() { cp_async_wait_group(-1); }

// Four words, where cache policies say nothing.
inline void createpolicy_fractional_L2(std::uint64_t& policy) { policy = 0; }
inline void ld_global_L2(std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, std::uint32_t& w,
                         const void* from, std::uint64_t /*policy*/) {
  const auto* words = static_cast<const std::uint32_t*>(from);
  x = words[0], y = words[1], z = words[2], w = words[3];
}
inline void st_global_L2(void* to, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                         std::uint32_t w, std::uint64_t /*policy*/) {
  auto* words = static_cast<std::uint32_t*>(to);
  words[0] = x, words[1] = y, words[2] = z, words[3] = w;
}
inline void st_global_v4_b32(void* to, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                             std::uint32_t w) {
  st_global_L2(to, x, y, z, w, 0);
}
inline void ld_shared_v4_u32(std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, std::uint32_t& w,
                             std::uint32_t from) {
  ld_global_L2(x, y, z, w, shared_at(from), 0);
}

}  // namespace cuda_on_host
