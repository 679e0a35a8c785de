// Counter-based random numbers: Philox4x32 (Salmon et al. 2011, "Parallel random numbers: as easy
// as 1, 2, 3"). There is no state to save or to share: the same counter and key give the same four
// words on every backend, whatever the order in which they are asked for.
//
// Ten rounds are used for initialisation, shuffling and sampling; seven, the fewest that pass
// BigCrush (table 2 of the paper), for dropout masks, which are drawn by the billion.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace yona {

using PhiloxBlock = std::array<std::uint32_t, 4>;

template <int kRounds = 10>
constexpr PhiloxBlock philox(PhiloxBlock counter, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

// A 64-bit mix of two words (the finaliser of SplitMix64 over their combination): turns names and
// coordinates into keys.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9E3779B97F4A7C15U * (b + 1);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

constexpr std::uint64_t hash_name(std::string_view name) {  // FNV-1a
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char letter : name) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001B3U;
  }
  return hash;
}

// A sequence of numbers from one key, for code that consumes them one after another (shuffling,
// sampling, generators of data). Copyable; equal keys give equal sequences.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t key) : key_(key) {}

  std::uint32_t next() {
    if (used_ == 4) {
      block_ = philox(
          {static_cast<std::uint32_t>(count_), static_cast<std::uint32_t>(count_ >> 32U), 0, 0},
          key_);
      ++count_;
      used_ = 0;
    }
    return block_[static_cast<std::size_t>(used_++)];
  }
  std::uint64_t next64() {
    const std::uint64_t high = next();
    return (high << 32U) | next();
  }
  // Uniform in [0, bound), without bias (rejection). bound must be positive.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound + 1) % bound;
    std::uint64_t draw = next64();
    while (draw > limit) {
      draw = next64();
    }
    return draw % bound;
  }
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next64() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
  PhiloxBlock block_{};
  int used_ = 4;
};

}  // namespace yona
