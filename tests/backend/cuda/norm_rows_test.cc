// Norms of the bf16 rows that have kernels of their own: whole packs, 256, 512 and 1,024 wide, on
// both sides of where those begin, with every part of a call there or not.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

struct NormCase {
  std::int64_t rows = 1;
  std::int64_t cols = 512;
  std::int64_t apart = 0;  // elements between rows
  double dropout = 0.1;
  bool r = true, ds = true, dx = true, dr = true, sums = true;
  bool accumulate_dx = false, accumulate_dr = false;
};

class CudaNormRows : public CudaTest {
 protected:
  // Everything that a call of forward and one of backward read and write.
  struct Call {
    explicit Call(const NormCase& c)
        : norm(c),
          x(matrix(1)),
          r(matrix(2)),
          s(matrix(3)),
          y(matrix(4)),
          dy(matrix(5)),
          ds(matrix(6)),
          dx(matrix(7)),
          dr(matrix(8)),
          weight(1, c.cols, DType::f32, 9, 0.5, 1.5),
          bias(1, c.cols, DType::f32, 10),
          dweight(1, c.cols, DType::f32, 11),
          dbias(1, c.cols, DType::f32, 12),
          dr_sums(1, c.cols, DType::f32, 13),
          statistics(c.rows, 2, DType::f32, 14),
          keys(row_keys(c.rows)) {}

    Both matrix(std::uint64_t seed) const {
      return {norm.rows, norm.cols + norm.apart, DType::bf16, seed};
    }
    View rows_of(const Both& both, bool on, bool there = true) const {
      View view = there ? both.view(on) : View{};
      view.cols = norm.cols;
      return view;
    }
    ResidualNormArgs forward(bool on) const {
      return {.x = rows_of(x, on),
              .r = rows_of(r, on, norm.r),
              .s = rows_of(s, on, norm.r),
              .y = rows_of(y, on),
              .weight = weight.view(on),
              .bias = bias.view(on),
              .statistics = statistics.view(on),
              .row_keys = keys.keys(on),
              .dropout = norm.r ? Dropout::with(norm.dropout, 3, 4) : Dropout{}};
    }
    ResidualNormBackwardArgs backward(bool on) const {
      return {.forward = forward(on),
              .dy = rows_of(dy, on),
              .ds = rows_of(ds, on, norm.ds),
              .dx = rows_of(dx, on, norm.dx),
              .dr = rows_of(dr, on, norm.dr),
              .accumulate_dx = norm.accumulate_dx,
              .accumulate_dr = norm.accumulate_dr,
              .dweight = dweight.view(on),
              .dbias = dbias.view(on),
              .dr_sums = norm.sums ? dr_sums.view(on) : View{}};
    }
    std::vector<std::vector<double>> gradients() const {
      std::vector<std::vector<double>> values;
      for (const Both* both : {&dx, &dr, &dweight, &dbias, &dr_sums}) {
        values.push_back(both->device_values());
      }
      return values;
    }

    NormCase norm;
    Both x, r, s, y, dy, ds, dx, dr;
    Both weight, bias, dweight, dbias, dr_sums, statistics;
    Numbers<std::int64_t> keys;
  };

  static void expect_of_reference(const NormCase& c);
};

void CudaNormRows::expect_of_reference(const NormCase& c) {
  SCOPED_TRACE(::testing::Message()
               << c.rows << "×" << c.cols << " apart " << c.apart << " dropout " << c.dropout
               << " r " << c.r << " ds " << c.ds << " dx " << c.dx << " dr " << c.dr << " sums "
               << c.sums << " adds " << c.accumulate_dx << c.accumulate_dr);
  const Call call(c);
  run(&Kernels::residual_norm, [&](bool on) { return call.forward(on); });
  call.s.expect_equal("s");
  call.y.expect_equal("y", 3e-2);
  call.statistics.expect_equal("statistics", 5e-3);  // of s that has been rounded
  // From here on both sides see the same s and statistics.
  call.s.set(call.s.device_values());
  call.statistics.set(call.statistics.device_values());
  run(&Kernels::residual_norm_backward, [&](bool on) { return call.backward(on); });
  call.dx.expect_equal("dx", 3e-2);
  call.dr.expect_equal("dr", 3e-2);
  call.dweight.expect_equal("dweight", 1e-4);
  call.dbias.expect_equal("dbias", 1e-4);
  call.dr_sums.expect_equal("sums of dr", 1e-2);

  const Call again(c);
  again.s.set(call.s.device_values());
  again.statistics.set(call.statistics.device_values());
  cuda().kernels().residual_norm_backward(again.backward(true), cuda().exec());
  EXPECT_EQ(call.gradients(), again.gradients()) << "not the same bits twice";
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

TEST_F(CudaNormRows, AreTheReferencesWithAndWithoutEveryPart) {
  for (const std::int64_t cols : {256, 512, 1024}) {
    for (const std::int64_t rows : {5, 2100}) {
      const NormCase all{.rows = rows, .cols = cols};
      const auto expect_with = [&](const auto& change) {
        NormCase c = all;
        change(c);
        expect_of_reference(c);
      };
      expect_with([](NormCase& c) { c.dropout = 0.0; });
      expect_with([](NormCase& c) { c.ds = false; });
      expect_with([](NormCase& c) { c.ds = c.sums = false; });
      expect_with([](NormCase& c) { c.ds = false, c.dropout = 0.0; });
      expect_with([](NormCase& c) { c.sums = false, c.accumulate_dr = true; });
      expect_with([](NormCase& c) { c.accumulate_dx = true; });
      expect_with([](NormCase& c) { c.dx = false; });
      expect_with([](NormCase& c) { c.dr = c.sums = false; });
      expect_with([](NormCase& c) { c.r = c.dr = c.sums = false; });
    }
  }
}

TEST_F(CudaNormRows, OfWiderMatricesLeaveTheRestAsItIs) {
  for (const std::int64_t cols : {256, 512, 1024}) {
    for (const std::int64_t rows : {3, 2100}) {
      for (const std::int64_t apart : {3, 64}) {  // no whole packs, and whole packs
        expect_of_reference({.rows = rows, .cols = cols, .apart = apart});
        expect_of_reference({.rows = rows, .cols = cols, .apart = apart, .ds = false});
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
