// Rotary position embedding on the device: types, and heads of whole packs and others.

#include <cmath>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaRotary : public CudaTest {};

TEST_F(CudaRotary, IsTheReferencesForwardAndBack) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const std::int64_t d_k : {2, 16, 24, 64, 128}) {
      for (const std::int64_t channels : {d_k, d_k / 4 * 2}) {
        if (channels == 0) {
          continue;
        }
        SCOPED_TRACE(::testing::Message() << channels << " of " << d_k << " " << name_of(dtype));
        constexpr std::int64_t kRows = 90, kHeads = 3, kPositions = 40;
        std::vector<std::int32_t> numbers;
        for (std::int64_t i = 0; i < kRows; ++i) {
          numbers.push_back(static_cast<std::int32_t>(i * 7 % kPositions));
        }
        std::vector<double> angles;
        for (std::int64_t p = 0; p < kPositions; ++p) {
          for (std::int64_t i = 0; i < channels; ++i) {
            const double angle =
                static_cast<double>(p) / static_cast<double>(1 + i % (channels / 2));
            angles.push_back(i < channels / 2 ? std::cos(angle) : std::sin(angle));
          }
        }
        const Numbers<std::int32_t> positions(numbers);
        const Both table(kPositions, channels, DType::f32, angles);
        const Both x(kRows, kHeads * d_k, dtype, 1);
        for (const bool inverse : {false, true}) {
          run(&Kernels::rotary, [&](bool on) {
            return RotaryArgs{.x = x.view(on),
                              .table = table.view(on),
                              .positions = positions.data(on),
                              .d_k = d_k,
                              .inverse = inverse};
          });
          x.expect_equal(inverse ? "back" : "forward");
          x.set(x.device_values());
        }
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
