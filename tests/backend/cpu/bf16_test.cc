// Rounding to bf16 is that of yona/base/dtype.h, bit for bit, with padding rows of zeros.

#include "yona/backend/cpu/bf16.h"

#include <limits>

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

Matrix special_values() {
  Matrix x = Matrix::random(5, 37, 1, 2, 1e3);
  const float ulp_half = 1.0F + 0x1.0p-8F;  // halfway between two bf16 numbers
  int column = 0;
  for (const float value :
       {0.0F, -0.0F, INFINITY, -INFINITY, NAN, -NAN, std::numeric_limits<float>::max(),
        std::numeric_limits<float>::denorm_min(), ulp_half, ulp_half + 0x1.0p-7F,
        __builtin_bit_cast(float, 0x7F800001U), __builtin_bit_cast(float, 0xFFFFFFFFU)}) {
    x.at(0, column) = value;
    x.at(4, 36 - column) = value;
    ++column;
  }
  return x;
}

TEST(RoundToBf16, IsTheScalarRoundingForEveryKindOfNumber) {
  test::on_every_isa([] {
    Matrix x = special_values();
    std::vector<std::uint16_t> words(std::size_t{8} * 37, 0xABCD);
    Matrix kept(8, 37);
    ThreadPool pool(2);
    cpu::round_to_bf16(x.view(), {words.data(), 8, 37, 37, DType::bf16}, pool);
    cpu::round_to_bf16(x.view(), kept.view(), pool);
    for (std::int64_t i = 0; i < 8; ++i) {
      for (std::int64_t j = 0; j < 37; ++j) {
        const std::uint16_t expected = i < 5 ? to_bf16(x.at(i, j)) : std::uint16_t{0};
        ASSERT_EQ(words[static_cast<std::size_t>(i * 37 + j)], expected) << i << ", " << j;
        ASSERT_EQ(__builtin_bit_cast(std::uint32_t, kept.at(i, j)),
                  static_cast<std::uint32_t>(expected) << 16U)
            << i << ", " << j;
      }
    }
  });
}

TEST(RoundToBf16, OfNothingDoesNothing) {
  Matrix x(0, 5);
  ThreadPool pool(1);
  cpu::round_to_bf16(x.view(), x.view(), pool);
}

}  // namespace
}  // namespace yona
