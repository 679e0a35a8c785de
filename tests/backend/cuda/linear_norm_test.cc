// The product that ends in the norm: row counts of each of Hopper's tiles and more, and types and
// sizes that go through the plain composition.

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

View first_rows(View view, std::int64_t rows) {
  view.rows = rows;
  return view;
}

View columns(View view, std::int64_t first, std::int64_t cols) {
  view.data =
      static_cast<char*>(view.data) + first * static_cast<std::int64_t>(size_of(view.dtype));
  view.cols = cols;
  return view;
}

class CudaLinearNorm : public CudaTest {
 protected:
  enum class Bias : bool { no, yes };
  enum class Sum : bool { no, yes };

  // Everything of one size, for up to most_rows rows; the reference has it all at once.
  struct Problem {
    Problem(std::int64_t most_rows, std::int64_t width, std::int64_t depth, DType type,
            Bias with_bias)
        : dtype(type),
          a(most_rows, depth, type, depth + 1),
          weight(width, depth, type, depth + 2, -0.1, 0.1),
          bias(1, width, type, depth + 3),
          x(most_rows, width, type, depth + 4, -2.0, 2.0),
          s(most_rows, width, type, depth + 5),
          y(most_rows, width, type, depth + 6),
          norm_weight(1, width, DType::f32, depth + 7),
          norm_bias(1, width, DType::f32, depth + 8),
          workspace(most_rows, width, type, depth + 9),
          statistics(most_rows, 2, DType::f32, depth + 10),
          has_bias(with_bias) {
      reference().kernels().linear_norm(args(false, most_rows, Sum::yes), reference().exec());
    }
    LinearNormArgs args(bool on, std::int64_t rows, Sum sum) const {
      return {.a = first_rows(a.view(on), rows),
              .weight = weight.view(on),
              .bias = has_bias == Bias::yes ? bias.view(on) : View{},
              .x = first_rows(x.view(on), rows),
              .s = sum == Sum::yes ? first_rows(s.view(on), rows) : View{},
              .y = first_rows(y.view(on), rows),
              .norm_weight = norm_weight.view(on),
              .norm_bias = norm_bias.view(on),
              .workspace = first_rows(workspace.view(on), rows),
              .statistics = first_rows(statistics.view(on), rows),
              .epsilon = 1e-3F,
              .precision = dtype == DType::bf16 ? Precision::bf16 : Precision::f32};
    }
    // Fills the device's results with numbers that are none.
    void soil() const {
      for (const Both* both : {&s, &y}) {
        const auto count = static_cast<std::size_t>(both->device.elements());
        if (dtype == DType::f32) {
          both->device.upload(std::vector<float>(count, kSoil));
        } else {
          both->device.upload(std::vector<std::uint16_t>(count, to_bf16(kSoil)));
        }
      }
    }
    void run(std::int64_t rows, Sum sum) const {
      soil();
      cuda().kernels().linear_norm(args(true, rows, sum), cuda().exec());
    }

    DType dtype;
    Both a, weight, bias, x, s, y, norm_weight, norm_bias, workspace, statistics;
    Bias has_bias;
    static constexpr float kSoil = 1024.0F;
  };

  // The first rows are the reference's, the others untouched.
  static void expect_rows(const Problem& problem, const Both& both, std::int64_t rows,
                          const std::string& what) {
    const std::vector<double> got = both.device_values();
    const std::vector<double> expected = values_of(both.host);
    const auto end = static_cast<std::ptrdiff_t>(rows * both.host.cols());
    expect_near({got.begin(), got.begin() + end}, {expected.begin(), expected.begin() + end},
                tolerance_of(problem.dtype), what);
    EXPECT_TRUE(
        std::all_of(got.begin() + end, got.end(),
                    [](double value) { return value == static_cast<double>(Problem::kSoil); }))
        << what << " has been written beyond its rows";
  }

  static void expect_reference(const Problem& problem, std::int64_t rows) {
    SCOPED_TRACE(::testing::Message() << rows << " rows of " << name_of(problem.dtype));
    problem.run(rows, Sum::yes);
    expect_rows(problem, problem.s, rows, "s");
    expect_rows(problem, problem.y, rows, "y");
    const std::vector<double> first = problem.y.device_values();
    problem.run(rows, Sum::no);
    expect_rows(problem, problem.s, 0, "s");
    EXPECT_EQ(problem.y.device_values(), first) << "equal bits, with and without the sums";
  }
};

constexpr std::int64_t kRowCounts[] = {1, 4, 5, 8, 31, 64, 100, 128, 200, 256, 300, 384, 512, 600};

TEST_F(CudaLinearNorm, IsTheReferencesForAnyNumberOfRows) {
  for (const std::int64_t width : {std::int64_t{256}, std::int64_t{512}}) {
    for (const std::int64_t depth : {width, 4 * width}) {
      SCOPED_TRACE(::testing::Message() << width << " of " << depth);
      const std::int64_t most_rows = width == 512 ? 600 : 300;
      const Problem problem(most_rows, width, depth, DType::bf16, Bias::yes);
      for (const std::int64_t rows : kRowCounts) {
        if (rows <= most_rows) {
          expect_reference(problem, rows);
        }
      }
    }
  }
}

TEST_F(CudaLinearNorm, IsTheReferencesForNarrowModelsWithDeepProducts) {
  const Problem problem(300, 256, 2048, DType::bf16, Bias::yes);
  for (const std::int64_t rows : {4, 60, 192, 200, 300}) {
    expect_reference(problem, rows);
  }
}

TEST_F(CudaLinearNorm, TakesAnyDepthThatTwoPartsShare) {
  for (const std::int64_t depth : {128, 640, 3072}) {
    SCOPED_TRACE(depth);
    const Problem problem(250, 512, depth, DType::bf16, Bias::no);
    for (const std::int64_t rows : {3, 60, 110, 250}) {
      expect_reference(problem, rows);
    }
  }
}

TEST_F(CudaLinearNorm, IsTheReferencesWhereHoppersKernelDoesNotSuit) {
  for (const auto& [width, depth] : {std::pair<std::int64_t, std::int64_t>{512, 320},
                                     {512, 100},
                                     {384, 512},
                                     {1024, 256},
                                     {7, 5}}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      SCOPED_TRACE(::testing::Message() << width << " of " << depth);
      const Problem problem(33, width, depth, dtype, Bias::yes);
      expect_reference(problem, 1);
      expect_reference(problem, 33);
    }
  }
}

// Columns of larger matrices; and a graph's launches do what others do.
TEST_F(CudaLinearNorm, TakesPartsInAGraph) {
  const std::int64_t rows = 37;
  const Both a(rows, 1024, DType::bf16, 1);
  const Both weight(512, 768, DType::bf16, 2, -0.1, 0.1);
  const Both bias(1, 1024, DType::bf16, 3);
  const Both x(rows, 1536, DType::bf16, 4);
  const Both s(rows, 1024, DType::bf16, 5);
  const Both y(rows, 640, DType::bf16, 6);
  const Both norm(2, 512, DType::f32, 7);
  const Both workspace(rows, 512, DType::bf16, 8);
  const Both statistics(rows, 2, DType::f32, 9);
  const auto args = [&](bool on) {
    View norm_bias = first_rows(norm.view(on), 1);
    norm_bias.data = static_cast<float*>(norm_bias.data) + 512;
    return LinearNormArgs{.a = columns(a.view(on), 512, 512),
                          .weight = columns(weight.view(on), 256, 512),
                          .bias = columns(bias.view(on), 64, 512),
                          .x = columns(x.view(on), 1024, 512),
                          .s = columns(s.view(on), 8, 512),
                          .y = columns(y.view(on), 128, 512),
                          .norm_weight = first_rows(norm.view(on), 1),
                          .norm_bias = norm_bias,
                          .workspace = workspace.view(on),
                          .statistics = statistics.view(on),
                          .precision = Precision::bf16};
  };
  const std::unique_ptr<Replay> replay = cuda().make_replay();
  reference().kernels().linear_norm(args(false), reference().exec());
  for (int time = 0; time < 4; ++time) {
    SCOPED_TRACE(time);
    s.device.upload(std::vector<std::uint16_t>(static_cast<std::size_t>(s.device.elements())));
    y.device.upload(std::vector<std::uint16_t>(static_cast<std::size_t>(y.device.elements())));
    replay->run([&] { cuda().kernels().linear_norm(args(true), cuda().exec()); });
    expect_near(values_of(s.device.columns(8, 512)), values_of(s.host.columns(8, 512)), kCudaBf16,
                "s");
    expect_near(values_of(y.device.columns(128, 512)), values_of(y.host.columns(128, 512)),
                kCudaBf16, "y");
  }
}

}  // namespace
}  // namespace yona::testing
