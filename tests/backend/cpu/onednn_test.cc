// What the products stand on: oneDNN's calls leave the caller's OpenMP setting alone, and its
// primitives and sgemm agree.

#include "yona/backend/cpu/onednn.h"

#include "yona/base/error.h"

#include "tests/backend/cpu/kernel_test.h"

extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int threads);
}

namespace yona {
namespace {

using test::Matrix;

struct Fixture {
  Matrix a = Matrix::random(20, 30, 1);
  Matrix b = Matrix::random(40, 30, 2);
  Matrix c = Matrix::random(20, 40, 3);
  Matrix bias = Matrix::random(1, 40, 4);
  cpu::ProductShape shape = {.m = 20,
                             .n = 40,
                             .k = 30,
                             .lda = 30,
                             .ldb = 30,
                             .ldc = 40,
                             .transpose_b = true,
                             .accumulate = true,
                             .bias = true,
                             .activation = Activation::relu};
  cpu::ProductData data() {
    return {a.view().data, b.view().data, c.view().row<float>(0), bias.view().row<float>(0)};
  }
};

TEST(OneDnn, PrimitiveAndSgemmAgree) {
  Fixture primitive;
  Fixture sgemm;
  cpu::run_primitive(primitive.shape, primitive.data());
  cpu::run_sgemm(sgemm.shape, sgemm.data());
  EXPECT_TRUE(test::is_near(primitive.c, sgemm.c, test::kToleranceF32, 10));
}

TEST(OneDnn, AShapeThatCameBeforeGivesTheSameBits) {
  Fixture first;
  Fixture second;
  cpu::run_primitive(first.shape, first.data());
  cpu::run_primitive(second.shape, second.data());
  EXPECT_TRUE(first.c == second.c);
}

TEST(OneDnn, CallsLeaveTheCallersOpenMpSettingAlone) {
  if (omp_get_max_threads == nullptr) {
    GTEST_SKIP() << "this oneDNN is built without OpenMP";
  }
  omp_set_num_threads(3);
  Fixture fixture;
  cpu::run_primitive(fixture.shape, fixture.data());
  cpu::run_sgemm(fixture.shape, fixture.data());
  EXPECT_EQ(omp_get_max_threads(), 3);
}

TEST(OneDnn, AShapeItRefusesIsADeviceError) {
  Fixture fixture;
  fixture.shape.lda = 5;  // rows that overlap
  EXPECT_THROW(cpu::run_primitive(fixture.shape, fixture.data()), DeviceError);
}

}  // namespace
}  // namespace yona
