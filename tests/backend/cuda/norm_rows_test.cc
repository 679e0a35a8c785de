// Norms of rows that have kernels of their own, whole packs of up to 2,048 channels: on both sides
// of where those begin, with every part of a call there or not.

#include <array>
#include <optional>
#include <utility>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

struct NormShape {
  DType dtype = DType::bf16;
  std::int64_t rows = 1;
  std::int64_t cols = 512;
  std::int64_t apart = 0;  // elements between rows
};

struct NormCase {
  double dropout = 0.1;
  bool r = true, ds = true, dx = true, dr = true, sums = true;
  bool accumulate_dx = false, accumulate_dr = false;
};

class CudaNormRows : public CudaTest {
 protected:
  // A matrix that kernels write, which can be as it was at first.
  struct Written : Both {
    explicit Written(const Both& both)
        : Both(both), first_host(bytes_of(host)), first_device(bytes_of(device)) {}
    static std::vector<char> bytes_of(const Tensor& tensor) {
      std::vector<char> bytes(static_cast<std::size_t>(tensor.elements()) *
                              size_of(tensor.dtype()));
      tensor.download_bytes(bytes.data());
      return bytes;
    }
    void reset() const {
      host.upload(first_host);
      device.upload(first_device);
    }
    // Compares, and lets both sides see what the device has from then on.
    void agree(const std::string& what, double tolerance) const {
      const std::vector<double> values = device_values();
      expect_near(values, values_of(host), tolerance, what);
      host.upload(std::vector<float>(values.begin(), values.end()));
    }

    std::vector<char> first_host, first_device;
  };

  // Everything that calls of forward and backward read and write. Drawing numbers would take longer
  // than all that is done with them: cases of one shape share them, and all matrices are parts of
  // one list.
  struct Call {
    explicit Call(const NormShape& of)
        : shape(of),
          x(matrix(1)),
          r(matrix(2)),
          dy(matrix(5)),
          ds(matrix(6)),
          weight(1, of.cols, DType::f32, 9, 0.5, 1.5),
          bias(1, of.cols, DType::f32, 10),
          s(matrix(3)),
          y(matrix(4)),
          dx(matrix(7)),
          dr(matrix(8)),
          dweight(Both(1, of.cols, DType::f32, 11)),
          dbias(Both(1, of.cols, DType::f32, 12)),
          dr_sums(Both(1, of.cols, DType::f32, 13)),
          statistics(Both(of.rows, 2, DType::f32, 14)),
          keys(row_keys(of.rows)) {}

    Both matrix(std::int64_t index) const {
      constexpr std::int64_t kMost = 1 << 22;
      constexpr std::int64_t kBetween = 10'007;
      static const std::vector<double> numbers = random_values(kMost + 8 * kBetween, 1);
      const std::int64_t count = shape.rows * (shape.cols + shape.apart);
      check(count <= kMost, "{} numbers of {}", count, kMost);
      const auto first = numbers.begin() + index * kBetween;
      return {shape.rows, shape.cols + shape.apart, shape.dtype, {first, first + count}};
    }
    View rows_of(const Both& both, bool on, bool there = true) const {
      View view = there ? both.view(on) : View{};
      view.cols = shape.cols;
      return view;
    }
    ResidualNormArgs forward(const NormCase& c, bool on) const {
      return {.x = rows_of(x, on),
              .r = rows_of(r, on, c.r),
              .s = rows_of(s, on, c.r),
              .y = rows_of(y, on),
              .weight = weight.view(on),
              .bias = bias.view(on),
              .statistics = statistics.view(on),
              .row_keys = keys.keys(on),
              .dropout = c.r ? Dropout::with(c.dropout, 3, 4) : Dropout{}};
    }
    ResidualNormBackwardArgs backward(const NormCase& c, bool on) const {
      return {.forward = forward(c, on),
              .dy = rows_of(dy, on),
              .ds = rows_of(ds, on, c.ds),
              .dx = rows_of(dx, on, c.dx),
              .dr = rows_of(dr, on, c.dr),
              .accumulate_dx = c.accumulate_dx,
              .accumulate_dr = c.accumulate_dr,
              .dweight = dweight.view(on),
              .dbias = dbias.view(on),
              .dr_sums = c.sums ? dr_sums.view(on) : View{}};
    }
    // Forward does what it did last time: its results are there.
    bool has_forward(const NormCase& c) const {
      return last && last->r == c.r && last->dropout == c.dropout;
    }
    std::array<const Written*, 5> gradients() const {
      return {&dx, &dr, &dweight, &dbias, &dr_sums};
    }

    NormShape shape;
    std::optional<NormCase> last;
    Both x, r, dy, ds, weight, bias;
    Written s, y, dx, dr, dweight, dbias, dr_sums, statistics;
    Numbers<std::int64_t> keys;
  };

  static void expect_of_reference(Call& call, const NormCase& c);
  static void expect_of_reference(const NormShape& shape, const NormCase& c = {}) {
    Call call(shape);
    expect_of_reference(call, c);
  }
  static void expect_without_each_part(const NormShape& shape);
};

void CudaNormRows::expect_of_reference(Call& call, const NormCase& c) {
  const NormShape& shape = call.shape;
  SCOPED_TRACE(::testing::Message()
               << shape.rows << "×" << shape.cols << " of " << name_of(shape.dtype) << " apart "
               << shape.apart << " dropout " << c.dropout << " r " << c.r << " ds " << c.ds
               << " dx " << c.dx << " dr " << c.dr << " sums " << c.sums << " adds "
               << c.accumulate_dx << c.accumulate_dr);
  const bool rounds = shape.dtype == DType::bf16;
  if (!call.has_forward(c)) {
    for (const Written* result : {&call.s, &call.y, &call.statistics}) {
      result->reset();
    }
    run(&Kernels::residual_norm, [&](bool on) { return call.forward(c, on); });
    call.y.expect_equal("y", rounds ? 3e-2 : 1e-4);
    call.s.agree("s", tolerance_of(shape.dtype));
    call.statistics.agree("statistics", rounds ? 5e-3 : 1e-4);  // of s that has been rounded
    call.last = c;
  }
  for (const Written* gradient : call.gradients()) {
    gradient->reset();
  }
  run(&Kernels::residual_norm_backward, [&](bool on) { return call.backward(c, on); });
  call.dx.expect_equal("dx", rounds ? 3e-2 : 1e-4);
  call.dr.expect_equal("dr", rounds ? 3e-2 : 1e-4);
  call.dweight.expect_equal("dweight", 1e-4);
  call.dbias.expect_equal("dbias", 1e-4);
  call.dr_sums.expect_equal("sums of dr", rounds ? 1e-2 : 1e-4);

  std::vector<std::vector<char>> bits;
  for (const Written* gradient : call.gradients()) {
    bits.push_back(Written::bytes_of(gradient->device));
    gradient->reset();
  }
  cuda().kernels().residual_norm_backward(call.backward(c, true), cuda().exec());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_TRUE(Written::bytes_of(call.gradients().at(i)->device) == bits[i])
        << "gradient " << i << " has not the same bits twice";
  }
}

void CudaNormRows::expect_without_each_part(const NormShape& shape) {
  Call call(shape);
  expect_of_reference(call, {.ds = false});
  expect_of_reference(call, {.ds = false, .sums = false});
  expect_of_reference(call, {.sums = false, .accumulate_dr = true});
  expect_of_reference(call, {.accumulate_dx = true});
  expect_of_reference(call, {.dx = false});
  expect_of_reference(call, {.dr = false, .sums = false});
  expect_of_reference(call, {.dropout = 0.0});
  expect_of_reference(call, {.dropout = 0.0, .ds = false});
  expect_of_reference(call, {.r = false, .dr = false, .sums = false});
}

TEST_F(CudaNormRows, AreTheReferencesWhateverTheirNumber) {
  // A row, fewer than warps, those around 2,048, where forward takes others, and so many that a
  // warp's ring goes round.
  for (const std::int64_t cols : {256, 512, 1024}) {
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{9}, std::int64_t{1000},
                                    std::int64_t{2047}, std::int64_t{2048}, 3'600'000 / cols}) {
      expect_of_reference({.rows = rows, .cols = cols});
    }
  }
}

// Those that fill their last chunk and those that do not, in one warp and in two.
TEST_F(CudaNormRows, AreTheReferencesOfAnyWidth) {
  for (const DType dtype : {DType::bf16, DType::f32}) {
    for (const std::int64_t cols :
         {8, 128, 256, 384, 512, 640, 768, 896, 1024, 1032, 1280, 1536, 1800, 2048, 2056}) {
      for (const std::int64_t rows : {3, 70}) {
        Call call({.dtype = dtype, .rows = rows, .cols = cols});
        expect_of_reference(call, {});
        expect_of_reference(call, {.ds = false});
      }
    }
  }
  // Rings that go round.
  for (const auto& [dtype, cols] : {std::pair<DType, std::int64_t>{DType::bf16, 640},
                                    {DType::bf16, 768},
                                    {DType::bf16, 2048},
                                    {DType::f32, 384},
                                    {DType::f32, 1024}}) {
    Call call({.dtype = dtype, .rows = 2'500'000 / cols, .cols = cols});
    expect_of_reference(call, {});
    expect_of_reference(call, {.ds = false});
  }
}

TEST_F(CudaNormRows, AreTheReferencesWithAndWithoutEveryPart) {
  for (const std::int64_t rows : {5, 2100}) {
    for (const std::int64_t cols : {256, 512, 1024}) {
      expect_without_each_part({.rows = rows, .cols = cols});
    }
  }
  for (const std::int64_t cols : {640, 768, 2048}) {
    expect_without_each_part({.rows = 40, .cols = cols});
  }
  for (const std::int64_t cols : {384, 512, 1024}) {
    expect_without_each_part({.dtype = DType::f32, .rows = 40, .cols = cols});
  }
}

TEST_F(CudaNormRows, OfWiderMatricesLeaveTheRestAsItIs) {
  const auto expect = [](DType dtype, std::int64_t rows, std::int64_t cols) {
    for (const std::int64_t apart : {3, 64}) {  // no whole packs, and whole packs
      Call call({.dtype = dtype, .rows = rows, .cols = cols, .apart = apart});
      expect_of_reference(call, {});
      expect_of_reference(call, {.ds = false});
    }
  };
  for (const std::int64_t cols : {256, 512, 1024}) {
    for (const std::int64_t rows : {3, 2100}) {
      expect(DType::bf16, rows, cols);
    }
  }
  expect(DType::bf16, 40, 640);
  expect(DType::bf16, 40, 1280);
  expect(DType::f32, 40, 384);
}

}  // namespace
}  // namespace yona::testing
