// Hopper's products of a warpgroup on the host, at once: what is in shared memory is read as the
// descriptors say, and each thread adds up its own sums (PTX ISA, "wgmma.mma_async").
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "tools/cuda_on_host/ptx.h"

namespace cuda_on_host {

// A matrix in shared memory, with swizzles of 128 or 64 bytes, whose rows are as long: element
// `across` of row `along`.
inline float element_of(std::uint64_t descriptor, int along, int across) {
  const bool wide = descriptor >> 62U == 1;
  const auto eight_rows = static_cast<std::uint32_t>(descriptor >> 32U & 0x3FFFU) << 4U;
  std::uint32_t address = static_cast<std::uint32_t>(descriptor & 0x3FFFU) << 4U;
  address += static_cast<std::uint32_t>(along / 8) * eight_rows +
             static_cast<std::uint32_t>(along % 8 * (wide ? 128 : 64) + across * 2);
  address ^= (address >> 7U & (wide ? 7U : 3U)) << 4U;
  std::uint16_t bits;
  std::memcpy(&bits, shared_at(address), sizeof(bits));
  return half_of(bits, 0);
}

inline int row_of_group(int sum) {
  return static_cast<int>(place().thread.x) / 32 % 4 * 16 + lane() / 4 + sum % 4 / 2 * 8;
}
inline int column_of_group(int sum) { return sum / 4 * 8 + lane() % 4 * 2 + sum % 2; }

// Both operands in shared memory, 16 columns of each: c = (or +=) a · bᵀ.
template <std::size_t kSums>
void multiply_group(const std::array<float*, kSums>& c, std::uint64_t a, std::uint64_t b, int add) {
  for (std::size_t i = 0; i < kSums; ++i) {
    float sum = add != 0 ? *c[i] : 0.0F;
    for (int k = 0; k < 16; ++k) {
      sum += element_of(a, row_of_group(static_cast<int>(i)), k) *
             element_of(b, column_of_group(static_cast<int>(i)), k);
    }
    *c[i] = sum;
  }
}

// Both in shared memory, and 16 rows of the right one: c += a · b, or aᵀ · b with 16 rows of a.
template <std::size_t kSums>
void multiply_group(const std::array<float*, kSums>& c, std::uint64_t a, std::uint64_t b,
                    int a_is_crossed, int /*b_is_crossed*/) {
  for (std::size_t i = 0; i < kSums; ++i) {
    const int row = row_of_group(static_cast<int>(i));
    for (int k = 0; k < 16; ++k) {
      *c[i] += (a_is_crossed != 0 ? element_of(a, k, row) : element_of(a, row, k)) *
               element_of(b, k, column_of_group(static_cast<int>(i)));
    }
  }
}

// The left one in registers, and 16 rows of the right one: c += a · b.
template <std::size_t kSums>
void multiply_group(const std::array<float*, kSums>& c, std::uint32_t a0, std::uint32_t a1,
                    std::uint32_t a2, std::uint32_t a3, std::uint64_t b) {
  std::uint64_t left[2][32];  // by which eight columns
  std::copy_n(exchange(std::uint64_t{a0} | std::uint64_t{a1} << 32U), 32, left[0]);
  std::copy_n(exchange(std::uint64_t{a2} | std::uint64_t{a3} << 32U), 32, left[1]);
  for (std::size_t i = 0; i < kSums; ++i) {
    for (int k = 0; k < 16; ++k) {
      const std::uint64_t x = left[k / 8][lane() / 4 * 4 + k % 8 / 2] >> (i % 4 / 2 * 32);
      *c[i] += half_of(static_cast<std::uint32_t>(x), k % 2) *
               element_of(b, k, column_of_group(static_cast<int>(i)));
    }
  }
}

template <std::size_t kSums, class... Operands>
void multiply_group_of(const std::tuple<Operands...>& operands) {
  const auto parts = [&]<std::size_t... kFirst, std::size_t... kRest>(
      std::index_sequence<kFirst...>, std::index_sequence<kRest...>) {
    multiply_group(std::array<float*, kSums>{&std::get<kFirst>(operands)...},
                   std::get<kSums + kRest>(operands)...);
  };
  parts(std::make_index_sequence<kSums>{}, std::make_index_sequence<sizeof...(Operands) - kSums>{});
}
template <class... Operands>
void wgmma_mma_async_sync_aligned_m64n64k16_f32_bf16_bf16(Operands&&... operands) {
  multiply_group_of<32>(std::forward_as_tuple(operands...));
}
template <class... Operands>
void wgmma_mma_async_sync_aligned_m64n32k16_f32_bf16_bf16(Operands&&... operands) {
  multiply_group_of<16>(std::forward_as_tuple(operands...));
}

inline void wgmma_fence_sync_aligned() {}
inline void wgmma_commit_group_sync_aligned() {}
inline void wgmma_wait_group_sync_aligned(int /*left*/) {}
inline void fence_proxy_async_shared() {}

}  // namespace cuda_on_host
