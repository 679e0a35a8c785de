#include "yona/tensor/operand.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "yona/backend/cpu/features.h"
#include "yona/backend/host_backend.h"
#include "yona/backend/registration.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/linear.h"

#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

// How many elements were rounded, by operand() and by products that were given f32.
struct Counts {
  std::int64_t once = 0;
  std::int64_t for_a_product = 0;
};
Counts counts;

void count_round(const RoundArgs& args, Exec& exec) {
  counts.once += args.x.rows * args.x.cols;
  cpu_kernels().round_bf16.function()(args, exec);
}

void count_matmul(const MatmulArgs& args, Exec& exec) {
  for (const View& operand : {args.a, args.b}) {
    counts.for_a_product += operand.dtype == DType::f32 ? operand.rows * operand.cols : 0;
  }
  cpu_kernels().matmul.function()(args, exec);
}

const Kernels& counting_kernels() {
  static const Kernels table = [] {
    Kernels kernels = cpu_kernels();
    kernels.round_bf16 = count_round;
    kernels.matmul = count_matmul;
    return kernels;
  }();
  return table;
}

// Products by tiles round their operands themselves: all tests but one do without them.
class OperandTest : public ::testing::Test {
 protected:
  OperandTest() {
    counts = {};
    use_isa(std::min(Isa::avx2, widest));
  }
  ~OperandTest() override { use_isa(widest); }

  Tensor random(const Shape& shape, std::uint64_t seed) {
    Tensor made = tensor_of(random_values(shape.elements(), seed), shape, DType::f32, region);
    made.set_requires_gradient();
    return made;
  }

  Isa widest = current_isa();
  HostBackend backend{"cpu", counting_kernels(), {.threads = 1}};
  Region region{backend, 1 << 24};
  Tape tape;
  Context c{.region = region, .tape = &tape, .precision = Precision::bf16};
};

TEST_F(OperandTest, IsTheTensorItselfWhereProductsRound) {
  use_isa(widest);
  if (!cpu_has_bf16()) {
    GTEST_SKIP() << "this machine has no AVX512-BF16";
  }
  c.training = true;
  const Tensor x = random({3, 5}, 1);
  EXPECT_TRUE(rounds_operands(c));
  EXPECT_EQ(operand(x, c).data, x.raw());
  const RoundedWeights none(x, c);
  EXPECT_EQ(operand_part(x, c).dtype, DType::f32);
  EXPECT_EQ(counts.once, 0);
}

TEST_F(OperandTest, HasACopyForDecodingOnCpusWithoutTiles) {
  use_isa(widest);
  if (!cpu_has_bf16() || cpu_has_amx()) {
    GTEST_SKIP() << "this machine has no AVX512-BF16, or AMX too";
  }
  const Tensor x = random({3, 5}, 1);
  EXPECT_FALSE(rounds_operands(c));
  EXPECT_EQ(operand(x, c).dtype, DType::bf16);
}

TEST_F(OperandTest, IsTheTensorItselfInF32) {
  EXPECT_FALSE(rounds_operands(c));
  c.precision = Precision::f32;
  const Tensor x = random({5, 7}, 1);
  EXPECT_EQ(operand(x, c).data, x.raw());
  EXPECT_EQ(operand(x, c).dtype, DType::f32);
  EXPECT_EQ(counts.once, 0);
}

TEST_F(OperandTest, IsRoundedOnceAndFollowedByZeros) {
  soil(region, 1 << 20);
  const Tensor x = random({5, 7}, 1);
  const View first = operand(x, c);
  const View second = operand(x, c);
  EXPECT_EQ(first.dtype, DType::bf16);
  EXPECT_EQ(first.data, second.data);
  EXPECT_EQ(counts.once, 35);
  for (std::int64_t i = 0; i < kRoundedRows; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) {
      const float value = i < 5 ? x.data<float>()[i * 7 + j] : 0.0F;
      ASSERT_EQ(first.row<std::uint16_t>(i)[j], to_bf16(value)) << i << ", " << j;
    }
  }
}

TEST_F(OperandTest, IsRoundedAnewAfterNewValues) {
  const Tensor x = random({2, 2}, 1);
  operand(x, c);
  x.upload(std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(operand(x, c).row<std::uint16_t>(1)[1], to_bf16(4.0F));
}

TEST_F(OperandTest, LeavesPartsToTheKernelUnlessTheWholeIsRounded) {
  const Tensor x = random({6, 8}, 1);
  const Tensor part = x.columns(2, 3);
  EXPECT_EQ(operand(part, c).dtype, DType::f32);
  EXPECT_EQ(operand_part(part, c).dtype, DType::f32);
  operand(x, c);
  EXPECT_EQ(operand(part, c).dtype, DType::f32);
  const View rounded = operand_part(part, c);
  EXPECT_EQ(rounded.stride, 8);
  EXPECT_EQ(rounded.row<std::uint16_t>(5)[1], to_bf16(x.data<float>()[5 * 8 + 3]));
}

TEST_F(OperandTest, GivesItsMemoryBackWithTheTensor) {
  const std::int64_t before = region.in_use();
  operand(random({100, 100}, 1), c);
  EXPECT_EQ(region.in_use(), before);
}

TEST_F(OperandTest, RoundsWeightsForAsLongAsTheCopyLives) {
  const Tensor flat = random({1, 100}, 1);
  const Tensor weight = flat.slice(20, {4, 5});
  {
    const RoundedWeights rounded(weight, c);
    const RoundedWeights again(weight, c);  // finds what is there
    EXPECT_EQ(counts.once, 100);
    EXPECT_EQ(operand_part(weight, c).row<std::uint16_t>(1)[2],
              to_bf16(flat.data<float>()[20 + 7]));
  }
  EXPECT_EQ(operand_part(weight, c).dtype, DType::f32);
  Context exact{.region = region};
  const RoundedWeights none(weight, exact);
  EXPECT_EQ(counts.once, 100);
}

// Forward, and the gradients of input and weight, where every product rounds its own operands.
struct Plain {
  Plain(const Tensor& x, const Tensor& weight, const Tensor& dy, Exec& exec)
      : y(static_cast<std::size_t>(x.rows() * weight.rows())),
        dx(static_cast<std::size_t>(x.elements())),
        dw(static_cast<std::size_t>(weight.elements())) {
    const auto view = [](std::vector<float>& values, std::int64_t cols) {
      return View{values.data(), static_cast<std::int64_t>(values.size()) / cols, cols, cols,
                  DType::f32};
    };
    const Kernels& kernels = cpu_kernels();
    kernels.matmul({.a = x.view(),
                    .b = weight.view(),
                    .c = view(y, weight.rows()),
                    .transpose_b = true,
                    .precision = Precision::bf16},
                   exec);
    kernels.matmul(
        {.a = dy.view(), .b = weight.view(), .c = view(dx, x.cols()), .precision = Precision::bf16},
        exec);
    kernels.matmul({.a = dy.view(),
                    .b = x.view(),
                    .c = view(dw, x.cols()),
                    .transpose_a = true,
                    .precision = Precision::bf16},
                   exec);
  }
  std::vector<float> y, dx, dw;
};

TEST_F(OperandTest, ChangesNoBitOfALinearLayerAndRoundsEachTensorOnce) {
  for (const auto& [rows, in, out] :
       {std::array<std::int64_t, 3>{1, 3, 2}, {64, 16, 33}, {70, 40, 130}, {200, 128, 64}}) {
    counts = {};
    const Tensor x = random({rows, in}, 1);
    const Tensor weight = random({1, out * in + 9}, 2).slice(9, {out, in});
    weight.storage()->gradient = c.zeros(DType::f32, {1, out * in + 9}).storage();
    const RoundedWeights rounded(weight, c);
    const Tensor y = linear(x, weight, {}, {}, c);
    const Tensor dy = random({rows, out}, 3);
    y.storage()->gradient = dy.storage();
    tape.backward();
    EXPECT_EQ(counts.once, rows * in + rows * out + out * in + 9);
    EXPECT_EQ(counts.for_a_product, 0);
    const Plain plain(x, weight, dy, backend.exec());
    EXPECT_EQ(y.to_vector<float>(), plain.y) << rows;
    EXPECT_EQ(x.gradient().to_vector<float>(), plain.dx) << rows;
    EXPECT_EQ(weight.gradient().to_vector<float>(), plain.dw) << rows;
  }
}

TEST_F(OperandTest, ChangesNoBitOfTheLossWhateverTheChunks) {
  constexpr std::int64_t kRows = 150;
  constexpr std::int64_t kVocabulary = 45;
  std::vector<std::int32_t> ids(kRows);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::int32_t>(i % kVocabulary);
  }
  const Tensor targets = ids_of(ids, region);
  const Tensor scale = tensor_of(std::vector<double>(kRows, 1.0), {kRows}, DType::f32, region);
  for (const std::int64_t chunk : {64, 128, 192, 50}) {
    const auto run = [&](bool with_copies) {
      const Tensor x = random({kRows, 24}, 1);
      const Tensor projection = random({1, kVocabulary * 24}, 2).slice(0, {kVocabulary, 24});
      // Rows that lie apart cover no storage: their products round for themselves.
      const Tensor apart = random({kRows, 25}, 4).columns(0, 24);
      set_values(apart, values_of(x));
      const Tensor& input = with_copies ? x : apart;
      const CrossEntropyOptions options{.smoothing = 0.1F, .row_scale = scale, .chunk_rows = chunk};
      Tensor losses;
      if (with_copies) {
        const RoundedWeights rounded(projection, c);
        losses = linear_cross_entropy(input, projection, targets, options, c);
      } else {
        losses = linear_cross_entropy(input, projection, targets, options, c);
      }
      return std::vector{losses.to_vector<float>(), input.gradient().to_vector<float>(),
                         projection.gradient().to_vector<float>()};
    };
    EXPECT_EQ(run(true), run(false)) << chunk;
  }
}

}  // namespace
}  // namespace yona::testing
