// Products of many rows with the weights' transpose, as layers have them forward: sizes of our own
// kernels for Hopper (gemm/own_linear.cu), and those just outside their limits.

#include <algorithm>
#include <cmath>

#include "tests/backend/cuda/both.h"
#include "tests/harness/product_sizes.h"

namespace yona::testing {
namespace {

class CudaOwnLinear : public CudaTest {
 protected:
  struct Case {
    std::int64_t rows = 4096, cols = 1024, depth = 512;
    bool bias = true;
    Activation activation = Activation::none;
    DType bias_type = DType::bf16;
    bool transpose_b = true;
    bool accumulate = false;
    // Columns that a matrix has before and after those of the product.
    std::int64_t before = 0, after = 0;
    std::int64_t every = 5;  // of how many rows the reference has one
  };
  // The least that is multiplied by tiles that end beside the next one's products.
  static Case deep() { return {.rows = 8192, .cols = 2048, .depth = 576, .every = 61}; }

  static View part(View view, std::int64_t first, std::int64_t cols) {
    view.data =
        static_cast<char*>(view.data) + first * static_cast<std::int64_t>(size_of(view.dtype));
    view.cols = cols;
    return view;
  }
  static View rows_of(View view, std::int64_t first, std::int64_t rows, std::int64_t every = 1) {
    view.data = static_cast<char*>(view.data) +
                first * view.stride * static_cast<std::int64_t>(size_of(view.dtype));
    view.rows = rows;
    view.stride *= every;
    return view;
  }

  struct Matrices {
    explicit Matrices(const Case& c)
        : x(c.rows, c.before + c.depth + c.after, DType::bf16, 1),
          weight(c.transpose_b ? c.cols : c.depth,
                 c.before + (c.transpose_b ? c.depth : c.cols) + c.after, DType::bf16, 2),
          bias(1, c.cols, c.bias_type, 3),
          y(c.rows, c.before + c.cols + c.after, DType::bf16, 4) {}
    MatmulArgs args(const Case& c, bool on) const {
      return {.a = part(x.view(on), c.before, c.depth),
              .b = part(weight.view(on), c.before, c.transpose_b ? c.depth : c.cols),
              .c = part(y.view(on), c.before, c.cols),
              .transpose_b = c.transpose_b,
              .accumulate = c.accumulate,
              .bias = c.bias ? bias.view(on) : View{},
              .activation = c.activation,
              .precision = on ? Precision::bf16 : Precision::f32};
    }
    Both x, weight, bias, y;
  };

  // The sum in f32, rounded once: half a unit of bf16's eight bits, and what an f32 bias is rounded
  // by first and sums in another order differ by. cuBLASLt rounds products that it adds twice.
  static bool is_near(const Case& c, double actual, double expected) {
    return std::abs(actual - expected) <=
           std::ldexp(std::abs(expected), c.accumulate ? -7 : -8) + (c.accumulate ? 4e-2 : 4e-3);
  }

  // The reference has every fifth row, or fewer, the last one among them. Tiles are of 128 and 256
  // rows: it comes to many places of them.
  static void expect_reference(const Case& c) {
    SCOPED_TRACE(::testing::Message()
                 << c.rows << "×" << c.depth << "×" << c.cols << (c.bias ? ", bias" : "")
                 << (c.activation == Activation::relu ? ", relu" : "")
                 << (c.accumulate ? ", added" : "") << (c.transpose_b ? "" : ", W by columns")
                 << ", " << c.before << " columns before");
    const Matrices matrices(c);
    cuda().kernels().matmul(matrices.args(c, true), cuda().exec());
    const std::int64_t first = (c.rows - 1) % c.every;
    const std::int64_t rows = (c.rows - first + c.every - 1) / c.every;
    MatmulArgs some = matrices.args(c, false);
    some.a = rows_of(some.a, first, rows, c.every);
    some.c = rows_of(some.c, first, rows, c.every);
    reference().kernels().matmul(some, reference().exec());
    const std::vector<double> actual = matrices.y.device_values();
    const std::vector<double> expected = values_of(matrices.y.host);
    const std::int64_t width = c.before + c.cols + c.after;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < c.rows * width; ++i) {
      const std::int64_t col = i % width;
      const auto at = static_cast<std::size_t>(i);
      if (col < c.before || col >= c.before + c.cols) {
        wrong += actual[at] == expected[at] ? 0 : 1;  // as it was
      } else if (i / width % c.every == first) {
        wrong += is_near(c, actual[at], expected[at]) ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
  static void expect_fewer_rows(const Case& c);
  static void expect_same_twice(const Case& c);
};

TEST_F(CudaOwnLinear, IsTheReferences) {
  int count = 0;
  for (const std::int64_t depth : {448, 512}) {
    for (const std::int64_t rows : {4096, 4097, 5000}) {
      for (const std::int64_t cols : {1024, 1536, 2048}) {
        expect_reference({.rows = rows,
                          .cols = cols,
                          .depth = depth,
                          .bias = count % 2 == 0,
                          .activation = count / 2 % 2 == 0 ? Activation::relu : Activation::none});
        ++count;
      }
    }
  }
}

TEST_F(CudaOwnLinear, WithEveryEndIsTheReferences) {
  for (const Activation activation : {Activation::none, Activation::relu}) {
    expect_reference({.bias = false, .activation = activation});
    expect_reference({.activation = activation});
    expect_reference({.activation = activation, .bias_type = DType::f32});
  }
}

TEST_F(CudaOwnLinear, DeepIsTheReferences) {
  int count = 0;
  for (const std::int64_t depth : {576, 640, 768, 1024}) {
    for (const std::int64_t rows : {8192, 8193, 9001}) {
      Case c = deep();
      c.depth = depth;
      c.rows = rows;
      c.cols = count % 3 == 0 ? 2048 : count % 3 == 1 ? 2304 : 2816;
      c.bias = count % 2 == 0;
      c.activation = count / 2 % 2 == 0 ? Activation::relu : Activation::none;
      expect_reference(c);
      ++count;
    }
  }
}

TEST_F(CudaOwnLinear, DeepWithEveryEndIsTheReferences) {
  for (const Activation activation : {Activation::none, Activation::relu}) {
    Case c = deep();
    c.activation = activation;
    expect_reference(c);
    c.bias_type = DType::f32;
    expect_reference(c);
    c.bias = false;
    expect_reference(c);
  }
}

// Parts of wider matrices, as queries, keys and values are: what is beside them stays as it is.
TEST_F(CudaOwnLinear, TakesParts) {
  expect_reference({.rows = 4099, .before = 512, .after = 0});
  expect_reference({.rows = 4099, .cols = 1280, .depth = 448, .before = 8, .after = 56});
  Case c = deep();
  c.rows = 8195;
  c.before = 512;
  expect_reference(c);
  c.cols = 2304;
  c.depth = 768;
  c.before = 8;
  c.after = 56;
  expect_reference(c);
}

// What is not as the kernels want it is multiplied by another.
TEST_F(CudaOwnLinear, BesideItsLimitsIsTheReferences) {
  expect_reference({.rows = 4095});
  expect_reference({.cols = 768});
  expect_reference({.cols = 1152});
  expect_reference({.depth = 384});
  expect_reference({.depth = 480});
  expect_reference({.depth = 576});
  expect_reference({.transpose_b = false});
  expect_reference({.bias = false, .accumulate = true});
  expect_reference({.before = 4, .after = 4});  // no multiple of 16 bytes
  expect_reference({.before = 0, .after = 4});
}

TEST_F(CudaOwnLinear, BesideTheLimitsOfDeepOnesIsTheReferences) {
  const auto expect = [](const auto& change) {
    Case c = deep();
    change(c);
    expect_reference(c);
  };
  expect([](Case& c) { c.rows = 8191; });
  expect([](Case& c) { c.cols = 1792; });
  expect([](Case& c) { c.cols = 2176; });
  expect([](Case& c) { c.depth = 544; });
  expect([](Case& c) { c.depth = 608; });
  expect([](Case& c) { c.depth = 1088; });
  expect([](Case& c) { c.transpose_b = false; });
  expect([](Case& c) {
    c.bias = false;
    c.accumulate = true;
  });
  expect([](Case& c) { c.before = c.after = 4; });
  expect([](Case& c) { c.after = 4; });
}

// Every row, beside products of rows too few for the kernels.
void CudaOwnLinear::expect_fewer_rows(const Case& c) {
  const Matrices whole(c);
  const Matrices parts(c);
  cuda().kernels().matmul(whole.args(c, true), cuda().exec());
  constexpr std::int64_t kMost = 2048;
  for (std::int64_t first = 0; first < c.rows; first += kMost) {
    const std::int64_t rows = std::min(kMost, c.rows - first);
    MatmulArgs args = parts.args(c, true);
    args.a = rows_of(args.a, first, rows);
    args.c = rows_of(args.c, first, rows);
    cuda().kernels().matmul(args, cuda().exec());
  }
  const std::vector<double> actual = whole.y.device_values();
  const std::vector<double> expected = parts.y.device_values();
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {  // both are rounded
    wrong +=
        std::abs(actual[i] - expected[i]) <= std::ldexp(std::abs(expected[i]), -7) + 2e-3 ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaOwnLinear, IsThatOfFewerRows) {
  for (const ProductSize& size : kForwardProducts) {
    for (const Activation activation : {Activation::none, Activation::relu}) {
      expect_fewer_rows(
          {.rows = size.rows, .cols = size.cols, .depth = size.depth, .activation = activation});
    }
  }
}

void CudaOwnLinear::expect_same_twice(const Case& c) {
  const Matrices matrices(c);
  std::vector<double> before;
  for (int round = 0; round < 3; ++round) {
    const Both y(c.rows, c.cols, DType::bf16, 5 + static_cast<std::uint64_t>(round));
    MatmulArgs args = matrices.args(c, true);
    args.c = y.view(true);
    cuda().kernels().matmul(args, cuda().exec());
    if (round > 0) {
      EXPECT_EQ(y.device_values(), before);
    }
    before = y.device_values();
  }
}

TEST_F(CudaOwnLinear, IsTheSameTwice) {
  expect_same_twice({.rows = 9001, .cols = 1280, .activation = Activation::relu});
  expect_same_twice({.rows = 9001, .cols = 2304, .depth = 1024, .activation = Activation::relu});
}

}  // namespace
}  // namespace yona::testing
