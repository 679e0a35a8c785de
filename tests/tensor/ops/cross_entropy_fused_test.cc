// Chunks of the loss that are one kernel, on GPUs: what it is given, what takes the way by logits,
// and, where there is a GPU, its results beside the reference's.

#include <gtest/gtest.h>

#include "yona/backend/host_backend.h"
#include "yona/backend/registration.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/ops/cross_entropy.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

// What kernels that compute nothing were given.
struct Seen {
  std::vector<VocabularyLossArgs> fused;
  int losses = 0;  // of logits
  int rdrops = 0;
} given;

const Kernels& idle_kernels() {
  static const Kernels table = [] {
    Kernels kernels = reference_kernels();
    kernels.matmul = [](const MatmulArgs&, Exec&) {};
    kernels.bias_activation_backward = [](const BiasActivationBackwardArgs&, Exec&) {};
    kernels.fill = [](const FillArgs&, Exec&) {};
    kernels.cross_entropy = [](const CrossEntropyArgs&, Exec&) { ++given.losses; };
    kernels.rdrop = [](const RDropArgs&, Exec&) { ++given.rdrops; };
    kernels.vocabulary_loss = [](const VocabularyLossArgs& args, Exec&) {
      given.fused.push_back(args);
    };
    return kernels;
  }();
  return table;
}

// Ops on it do as on a GPU.
class LikeAGpu : public HostBackend {
 public:
  LikeAGpu() : HostBackend("reference", idle_kernels(), {.threads = 1}) {}
  Device planned_device() const override { return Device::cuda; }
};

class FusedCrossEntropy : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRows = 300, kVocabulary = 99, kD = 264;

  FusedCrossEntropy() {
    given = {};
    x.set_requires_gradient();
    weights.set_requires_gradient();
  }
  void run(const Tensor& states, const CrossEntropyOptions& with) {
    linear_cross_entropy(states, table(states.cols()), targets, with, c);
  }
  Tensor table(std::int64_t d) const { return weights.slice(0, {kVocabulary, d}); }

  LikeAGpu backend;
  Region region{backend, 1 << 26};
  Tape tape;
  Context c{.region = region, .tape = &tape, .precision = Precision::bf16};
  Tensor x = c.zeros(DType::bf16, {kRows, kD});
  Tensor weights = c.zeros(DType::f32, {1, 110 * 1024});
  Tensor targets = ids_of(std::vector<std::int32_t>(kRows, 3), region);
  CrossEntropyOptions options{
      .smoothing = 0.1F,
      .row_scale = tensor_of(std::vector<double>(kRows, 1.0), {kRows}, DType::f32, region),
      .chunk_rows = 128};
};

TEST_F(FusedCrossEntropy, GivesTheKernelEveryChunk) {
  const RoundedWeights rounded(weights, c);
  run(x, options);
  ASSERT_EQ(given.fused.size(), 3U);
  EXPECT_EQ(given.losses, 0);
  for (std::int64_t chunk = 0; chunk < 3; ++chunk) {
    const VocabularyLossArgs& args = given.fused[static_cast<std::size_t>(chunk)];
    const std::int64_t rows = chunk < 2 ? 128 : 44;
    EXPECT_EQ(args.first, chunk == 0);
    EXPECT_EQ(args.x.rows, rows);
    EXPECT_EQ(args.x.data, x.row_range(128 * chunk, rows).raw());
    EXPECT_EQ(args.dx.data, x.gradient().row_range(128 * chunk, rows).raw());
    EXPECT_FALSE(args.accumulate_dx);
    EXPECT_EQ(args.table.rows, 104);  // an even width for products
    EXPECT_EQ(args.table.dtype, DType::bf16);
    EXPECT_EQ(args.dtable.rows, 104);
    EXPECT_EQ(args.dtable.dtype, DType::f32);
    EXPECT_TRUE(args.accumulate_dtable);  // a part of its storage
    EXPECT_EQ(args.loss.logits.rows, rows);
    EXPECT_EQ(args.loss.logits.cols, kVocabulary);
    EXPECT_EQ(args.loss.logits.data, args.logits.data);
    EXPECT_EQ(args.loss.targets, targets.data<std::int32_t>() + 128 * chunk);
    EXPECT_EQ(args.loss.row_scale, options.row_scale.data<float>() + 128 * chunk);
    EXPECT_TRUE(args.loss.gradient);
    EXPECT_EQ(args.logits.rows, rows + kVocabularyMoreRows);
    EXPECT_EQ(args.logits.cols, 104);
    EXPECT_EQ(args.logits.stride, 112);
    EXPECT_EQ(args.workspace.cols, vocabulary_workspace(rows, 104, kD));
    EXPECT_EQ(args.table_sums.data, given.fused[0].table_sums.data);
    EXPECT_EQ(args.table_sums.cols, kD);
  }
}

TEST_F(FusedCrossEntropy, TakesNoMoreThan60MBBesideTheLogits) {
  constexpr std::int64_t kMost = 60'000'000 / 4;
  EXPECT_LT(vocabulary_workspace(1 << 14, 14'336, 512), kMost);
  EXPECT_LT(vocabulary_workspace((7 << 25) / 37'000, 37'056, 512), kMost);
  EXPECT_LT(vocabulary_workspace((7 << 25) / 250'000, 250'000, 512), kMost);
  EXPECT_LT(vocabulary_workspace(1 << 13, 28'672, 1024), kMost);
  EXPECT_LT(vocabulary_workspace((7 << 25) / 37'000, 37'056, 1024), kMost);
  // Where the vocabulary is small, chunks of wide states have fewer rows.
  constexpr std::int64_t kMany = 8'200, kWide = 1'024;
  Region large(backend, 1 << 28);
  Tape of_large;
  Context wide{.region = large, .tape = &of_large, .precision = Precision::bf16};
  const Tensor states = wide.zeros(DType::bf16, {kMany, kWide});
  states.set_requires_gradient();
  const Tensor rows = wide.zeros(DType::f32, {1, 110 * kWide});
  rows.set_requires_gradient();
  linear_cross_entropy(
      states, rows.slice(0, {kVocabulary, kWide}),
      ids_of(std::vector<std::int32_t>(kMany, 3), large),
      {.row_scale = tensor_of(std::vector<double>(kMany, 1.0), {kMany}, DType::f32, large)}, wide);
  ASSERT_EQ(given.fused.size(), 2U);
  EXPECT_LT(given.fused[0].workspace.cols, kMost);
}

TEST_F(FusedCrossEntropy, GivesTheKernelWideStates) {
  for (const std::int64_t d : {520, 768, 1000, 1024}) {
    const Tensor wide = c.zeros(DType::bf16, {kRows, d});
    wide.set_requires_gradient();
    run(wide, options);
    EXPECT_EQ(given.fused.size(), 3U) << d;
    EXPECT_EQ(given.losses, 0) << d;
    given = {};
  }
}

TEST_F(FusedCrossEntropy, GoesByLogitsWhereItMust) {
  const auto goes_by_logits = [&](const std::string& what) {
    EXPECT_TRUE(given.fused.empty()) << what;
    EXPECT_EQ(given.losses + given.rdrops, 3) << what;
    given = {};
  };
  CrossEntropyOptions biased = options;
  biased.bias = c.zeros(DType::f32, {kVocabulary});
  run(x, biased);
  goes_by_logits("a bias");
  for (const std::int64_t d : {64, 256, 268, 1004, 1032}) {
    const Tensor other = c.zeros(DType::bf16, {kRows, d});
    other.set_requires_gradient();
    run(other, options);
    goes_by_logits("another width");
  }
  const Tensor wide = c.zeros(DType::f32, {kRows, kD});
  wide.set_requires_gradient();
  run(wide, options);
  goes_by_logits("f32");
  linear_rdrop(x, x, table(kD), targets, 1.0F, options, c);
  goes_by_logits("R-Drop");
  c.tape = nullptr;
  run(x, options);
  goes_by_logits("no gradient");
}

TEST_F(FusedCrossEntropy, GoesByLogitsOnCpus) {
  Region on_cpu(shared_backend("cpu"), 1 << 26);
  Context cpu{.region = on_cpu, .tape = &tape};
  const Tensor states = cpu.zeros(DType::f32, {3, kD});
  states.set_requires_gradient();
  linear_cross_entropy(states, cpu.zeros(DType::f32, {9, kD}), ids_of({1, 2, 3}, on_cpu),
                       {.row_scale = tensor_of({1, 1, 1}, {3}, DType::f32, on_cpu)}, cpu);
  EXPECT_TRUE(given.fused.empty());
}

// ---- on a GPU ----------------------------------------------------------------------------------

struct Results {
  std::vector<double> losses, dx, de;
};

// States and weights that bf16 has, so that both sides start with the same.
constexpr std::int64_t kRows = 300, kVocabulary = 777;

Results results(std::string_view backend, std::int64_t chunk, std::int64_t d) {
  const bool gpu = backend == "cuda";
  Region region(shared_backend(backend), 1 << 28);
  Tape tape;
  Context c{.region = region, .tape = &tape, .precision = gpu ? Precision::bf16 : Precision::f32};
  const auto rounded = [](std::int64_t count, std::uint64_t seed, double size) {
    std::vector<double> values = random_values(count, seed, -size, size);
    for (double& value : values) {
      value = static_cast<double>(from_bf16(to_bf16(static_cast<float>(value))));
    }
    return values;
  };
  const Tensor x = c.empty(gpu ? DType::bf16 : DType::f32, {kRows, d});
  set_values(x, rounded(kRows * d, 1, 1.5));
  const Tensor weights = tensor_of(rounded((kVocabulary + 9) * d, 2, 0.4),
                                   {1, (kVocabulary + 9) * d}, DType::f32, region);
  x.set_requires_gradient();
  weights.set_requires_gradient();
  std::vector<std::int32_t> targets;
  for (std::int64_t row = 0; row < kRows; ++row) {
    targets.push_back(static_cast<std::int32_t>(row * 31 % kVocabulary));
  }
  const RoundedWeights copy(weights, c);
  const Tensor losses = linear_cross_entropy(
      x, weights.slice(0, {kVocabulary, d}), ids_of(targets, region),
      {.smoothing = 0.1F,
       .row_scale = tensor_of(random_values(kRows, 3, 0.1, 0.9), {kRows}, DType::f32, region),
       .chunk_rows = chunk},
      c);
  return {values_of(losses), values_of(x.gradient()), values_of(weights.gradient())};
}

TEST(FusedCrossEntropyOnAGpu, IsTheReferences) {
  if (!has_cuda()) {
    GTEST_SKIP() << "no GPU";
  }
  for (const std::int64_t d : {512, 1024}) {
    const Results expected = results("reference", 0, d);
    for (const std::int64_t chunk : {0, 128}) {
      SCOPED_TRACE(::testing::Message() << d << " wide, chunks of " << chunk);
      const Results actual = results("cuda", chunk, d);
      expect_near(actual.losses, expected.losses, 1e-2, "losses");
      EXPECT_LT(norm_error(actual.dx, expected.dx), 1e-2);
      EXPECT_LT(norm_error(actual.de, expected.de), 1e-2);
      // Rows after the vocabulary are not used.
      for (auto i = static_cast<std::size_t>(kVocabulary * d); i < actual.de.size(); ++i) {
        ASSERT_EQ(actual.de[i], 0.0);
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
