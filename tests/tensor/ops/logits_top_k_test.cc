// The best of a product's logits on every backend, against the product and top_k one after the
// other. Types and sizes of the GPU's own kernels are in tests/backend/cuda.

#include <gtest/gtest.h>

#include "yona/tensor/ops/top_k.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr double kTolerance = 1e-5;  // f32 sums in another order

struct ProductRun {
  ProductRun(std::string_view backend, std::int64_t row_count, std::int64_t tokens,
             Precision precision)
      : region(shared_backend(backend), std::int64_t{1} << 26U),
        rows(row_count),
        vocabulary(tokens),
        c{.region = region, .precision = precision} {
    soil(region, 1 << 20);
    states = tensor_of(random_values(rows * kDepth, 1), {rows, kDepth}, DType::f32, region);
    const std::int64_t wide_tokens = vocabulary + vocabulary % 2;
    table = tensor_of(random_values(wide_tokens * kDepth, 2), {wide_tokens, kDepth}, DType::f32,
                      region);
    wide = c.empty(DType::f32, Shape{rows, (vocabulary + 8) / 8 * 8});
    std::vector<float> scores;
    for (std::int64_t row = 0; row < rows; ++row) {
      scores.push_back(-0.5F * static_cast<float>(row % 3));
    }
    options.k = 5;
    options.row_scores = uploaded(scores);
    options.groups = uploaded(std::vector<std::int64_t>{0, rows / 2, rows});
  }

  template <class T>
  Tensor uploaded(const std::vector<T>& values) {
    Tensor tensor(region, dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  }
  Tensor logits() const { return wide.columns(0, vocabulary); }
  MatmulArgs product() const {
    return {.a = states.view(),
            .b = table.view(),
            .c = wide.columns(0, table.rows()).view(),
            .transpose_b = true,
            .precision = c.precision};
  }

  static constexpr std::int64_t kDepth = 24;
  Region region;
  std::int64_t rows, vocabulary;
  Context c;
  Tensor states, table, wide;
  TopKOptions options;
};

class LogitsTopKTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string_view(GetParam()) == "cuda" && !has_cuda()) {
      GTEST_SKIP() << "no GPU";
    }
  }

  template <class Find>
  static void expect_best(ProductRun& run, const Find& find) {
    run.c.kernels().matmul(run.product(), run.c.exec());
    const TopK expected = top_k(run.logits(), run.options, run.c);
    const std::vector<double> expected_logits = values_of(run.logits());
    run.c.kernels().fill({.y = run.wide.view(), .value = 7.0F}, run.c.exec());
    const TopK found = find();
    expect_near(values_of(run.logits()), expected_logits, kTolerance, "logits");
    expect_near(values_of(found.scores), values_of(expected.scores), kTolerance, "scores");
    expect_near(values_of(found.log_sums), values_of(expected.log_sums), kTolerance, "log-sums");
    EXPECT_EQ(found.tokens.to_vector<std::int32_t>(), expected.tokens.to_vector<std::int32_t>());
    EXPECT_EQ(found.rows.to_vector<std::int32_t>(), expected.rows.to_vector<std::int32_t>());
  }
};

TEST_P(LogitsTopKTest, IsTopKOfTheProduct) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    for (const std::int64_t rows : {2, 7, 130}) {
      for (const std::int64_t vocabulary : {9, 300}) {
        SCOPED_TRACE(::testing::Message() << rows << " rows, " << vocabulary << " tokens");
        ProductRun run(GetParam(), rows, vocabulary, precision);
        expect_best(run,
                    [&] { return logits_top_k(run.product(), run.logits(), run.options, run.c); });
      }
    }
  }
}

TEST_P(LogitsTopKTest, HeedsBansAndGivenTokens) {
  for (const bool first : {false, true}) {
    ProductRun run(GetParam(), 4, 21, Precision::f32);
    run.options.ban_offsets = run.uploaded(std::vector<std::int64_t>{0, 2, 2, 3, 3});
    run.options.bans = run.uploaded(std::vector<std::int32_t>{4, 20, 7});
    run.options.bans_first = first;
    run.options.only = run.uploaded(std::vector<std::int32_t>{4, -1, -1, -1});
    expect_best(run, [&] { return logits_top_k(run.product(), run.logits(), run.options, run.c); });
  }
}

// Ops call the table's kernel only where it is faster; it is there in any case.
TEST_P(LogitsTopKTest, IsAKernelOfEveryBackend) {
  ProductRun run(GetParam(), 4, 50, Precision::f32);
  expect_best(run, [&] {
    const std::int64_t k = run.options.k;
    TopK best{run.c.empty(DType::f32, Shape{2, k}), run.c.empty(DType::i32, Shape{2, k}),
              run.c.empty(DType::i32, Shape{2, k}), run.c.empty(DType::f32, Shape{run.rows})};
    run.c.kernels().logits_top_k({.product = run.product(),
                                  .top_k = {.logits = run.logits().view(),
                                            .row_scores = run.options.row_scores.data<float>(),
                                            .groups = run.options.groups.data<std::int64_t>(),
                                            .sentences = 2,
                                            .scores = best.scores.view(),
                                            .tokens = best.tokens.view(),
                                            .rows = best.rows.view(),
                                            .log_sums = best.log_sums.view()}},
                                 run.c.exec());
    return best;
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, LogitsTopKTest, ::testing::Values("reference", "cpu", "cuda"));

TEST(LogitsTopK, RefusesAProductThatWritesSomethingElse) {
  ProductRun run("reference", 4, 50, Precision::f32);
  MatmulArgs product = run.product();
  product.c.cols = 49;
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { logits_top_k(product, run.logits(), run.options, run.c); }),
      "logits_top_k: a product of [4, 49] does not write logits [4, 50]");
}

}  // namespace
}  // namespace yona::testing
