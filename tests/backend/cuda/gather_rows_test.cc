// Rows by their numbers, what is put in front of sequences, means of sequences, and their gradients
// on the device: in f32 and bf16, at widths around packs and chunks.

#include <cmath>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr DType kRowTypes[] = {DType::f32, DType::bf16};
constexpr std::int64_t kRowWidths[] = {1, 7, 8, 100, 256, 257, 768};

class CudaRowsByNumber : public CudaTest {
 protected:
  // Numbers that bf16 holds exactly.
  static std::vector<double> random_eighths(std::int64_t count) {
    std::vector<double> values = random_values(count, 2);
    for (double& value : values) {
      value = std::round(value * 8) / 8;
    }
    return values;
  }
};

TEST_F(CudaRowsByNumber, AreGatheredAndAddedUpAsByTheReference) {
  for (const DType dtype : kRowTypes) {
    for (const std::int64_t cols : kRowWidths) {
      SCOPED_TRACE(::testing::Message() << cols << " " << name_of(dtype));
      constexpr std::int64_t kRows = 50, kCount = 300;
      std::vector<std::int32_t> numbers;
      for (std::int32_t i = 0; i < kCount; ++i) {  // one row often, others rarely, some never
        numbers.push_back(i % 3 == 0 ? 7 : i * 11 % 40);
      }
      const Numbers<std::int32_t> rows(numbers);
      const Both x(kRows, cols, dtype, 1);
      const Both y(kCount, cols, dtype, 2);
      run(&Kernels::gather_rows, [&](bool on) {
        return GatherRowsArgs{.x = x.view(on), .y = y.view(on), .rows = rows.data(on)};
      });
      y.expect_equal("y", 0.0);
      const Both dy(kCount, cols, dtype, 3);
      for (const bool accumulate : {false, true}) {
        const Both dx(kRows, cols, dtype, 4);
        const auto args = [&](bool on) {
          return GatherRowsBackwardArgs{.dy = dy.view(on),
                                        .dx = dx.view(on),
                                        .rows = rows.data(on),
                                        .accumulate = accumulate};
        };
        run(&Kernels::gather_rows_backward, args);
        dx.expect_equal("dx");
      }
    }
  }
}

TEST_F(CudaRowsByNumber, StandInFrontOfSequencesAsInTheReference) {
  const std::vector<std::int64_t> offsets{0, 0, 5, 6, 6, 40, 43, 44, 45, 47, 50, 50};
  const auto sequences = static_cast<std::int64_t>(offsets.size()) - 1;
  const Numbers<std::int64_t> begins(offsets);
  for (const DType dtype : kRowTypes) {
    for (const std::int64_t cols : kRowWidths) {
      for (const std::int64_t more : {1, 3}) {
        SCOPED_TRACE(::testing::Message() << cols << ", " << more << " " << name_of(dtype));
        const Both x(50, cols, dtype, 1);
        const Both first(more, cols, DType::f32, random_eighths(more * cols));
        const Both y(50 + sequences * more, cols, dtype, 3);
        run(&Kernels::prepend_rows, [&](bool on) {
          return PrependRowsArgs{.x = x.view(on),
                                 .first = first.view(on),
                                 .y = y.view(on),
                                 .offsets = begins.data(on),
                                 .sequences = sequences};
        });
        y.expect_equal("y", 0.0);
        const Both dx(50, cols, dtype, 4);
        const Both dfirst(more, cols, DType::f32, 5);
        for (const bool accumulate : {false, true}) {
          run(&Kernels::prepend_rows_backward, [&](bool on) {
            return PrependRowsBackwardArgs{.dy = y.view(on),
                                           .dx = dx.view(on),
                                           .dfirst = dfirst.view(on),
                                           .first_rows = more,
                                           .offsets = begins.data(on),
                                           .sequences = sequences,
                                           .accumulate_dx = accumulate};
          });
        }
        dx.expect_equal("dx");
        dfirst.expect_equal("dfirst", 1e-5);
      }
    }
  }
}

TEST_F(CudaRowsByNumber, HaveTheReferencesMeans) {
  const std::vector<std::int64_t> offsets{0, 0, 5, 6, 6, 40, 50};
  const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
  const Numbers<std::int64_t> begins(offsets);
  for (const DType dtype : kRowTypes) {
    for (const std::int64_t cols : kRowWidths) {
      SCOPED_TRACE(::testing::Message() << cols << " " << name_of(dtype));
      const Both x(50, cols, dtype, 1);
      const Both y(segments, cols, dtype, 2);
      const auto args = [&](bool on) {
        return SegmentMeanArgs{
            .x = x.view(on), .y = y.view(on), .offsets = begins.data(on), .segments = segments};
      };
      run(&Kernels::segment_mean, args);
      y.expect_equal("y");
      y.set(y.device_values());
      for (const bool accumulate : {false, true}) {
        run(&Kernels::segment_mean_backward, [&](bool on) {
          SegmentMeanArgs back = args(on);
          back.accumulate = accumulate;
          return back;
        });
        x.expect_equal(accumulate ? "dx, added" : "dx");
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
