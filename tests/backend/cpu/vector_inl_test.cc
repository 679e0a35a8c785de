// The exponential of vector-inl.h, over its whole range and at its edges, on every instruction set;
// and that the last, partial vector touches nothing beyond its end.

#include <array>
#include <cmath>
#include <limits>

#include "yona/backend/cpu/targets.h"

#include "tests/backend/cpu/kernel_test.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/backend/cpu/vector_inl_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

void exp_of(const float* x, std::int64_t n, float* y) {
  const hn::ScalableTag<float> d;
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, fast_exp(d, load(d, x + j, part)), y + j, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(exp_of);

namespace {

TEST(FastExp, IsWithinTwoUnitsOfTheLastPlace) {
  test::on_every_isa([] {
    std::vector<float> x;
    for (float value = -87.2F; value < 88.0F; value += 0.00137F) {
      x.push_back(value);
    }
    std::vector<float> y(x.size());
    HWY_DYNAMIC_DISPATCH(exp_of)(x.data(), static_cast<std::int64_t>(x.size()), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(static_cast<double>(x[i]));
      const auto rounded = static_cast<float>(exact);
      const double ulp = static_cast<double>(std::nextafter(rounded, INFINITY) - rounded);
      ASSERT_LE(std::abs(static_cast<double>(y[i]) - exact), 2 * ulp) << "x = " << x[i];
    }
  });
}

TEST(FastExp, IsExactAtItsEdges) {
  test::on_every_isa([] {
    const std::array<float, 7> x = {
        0.0F, -0.0F, -INFINITY, -1e30F, -88.0F, NAN, __builtin_bit_cast(float, 0x7FC00001U)};
    std::array<float, 7> y{};
    HWY_DYNAMIC_DISPATCH(exp_of)(x.data(), 7, y.data());
    EXPECT_EQ(y[0], 1.0F);
    EXPECT_EQ(y[1], 1.0F);
    EXPECT_EQ(y[2], 0.0F);
    EXPECT_EQ(y[3], 0.0F);
    EXPECT_EQ(y[4], 0.0F);
    EXPECT_TRUE(std::isnan(y[5]));
    EXPECT_TRUE(std::isnan(y[6]));
  });
}

TEST(ForEachVector, LeavesWhatLiesBeyondTheEndAlone) {
  test::on_every_isa([] {
    const std::array<float, 40> x{};
    for (std::int64_t n = 0; n <= 33; ++n) {
      std::array<float, 40> y{};
      HWY_DYNAMIC_DISPATCH(exp_of)(x.data(), n, y.data());
      for (std::int64_t j = 0; j < 40; ++j) {
        ASSERT_EQ(y[static_cast<std::size_t>(j)], j < n ? 1.0F : 0.0F) << n << ", " << j;
      }
    }
  });
}

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
