// The loss over a vocabulary with its gradients, against the reference: at the sizes of Hopper's
// own products, of up to 512 channels and of more, and at others, which go through products of
// logits.

#include "yona/backend/vocabulary_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

struct Sizes {
  std::int64_t rows = 0, vocabulary = 0, d = 0;
  float smoothing = 0.1F;
  bool accumulate = false;  // into both gradients
  bool sure = false;        // some rows are, of the right token or of a wrong one
};

class CudaVocabularyLoss : public CudaTest {
 protected:
  // Without a kernel for Hopper, logits are rounded to bf16.
  static bool by_exponentials(const Sizes& sizes) {
    return cuda().weight_gradient_tiles() > 0 && is_vocabulary_width(sizes.d);
  }

  // Memory on both sides with nothing in it.
  struct Workspace {
    Workspace(std::int64_t rows, std::int64_t cols, DType dtype)
        : host(host_region(), DType::f32, Shape{rows, cols}),
          device(device_region(), dtype, Shape{rows, cols}) {}
    View view(bool on) const { return on ? device.view() : host.view(); }
    Tensor host, device;
  };

  struct Problem {
    explicit Problem(const Sizes& of)
        : sizes(of),
          columns((of.vocabulary + 7) / 8 * 8),
          x(of.rows, of.d, DType::bf16, 1, -1.5, 1.5),
          table(columns, of.d, DType::bf16, 2, -0.5, 0.5),
          dx(of.rows, of.d, DType::bf16, 3),
          dtable(columns, of.d, DType::f32, 4),
          scale(1, of.rows, DType::f32, 5, 0.5, 2.0),
          losses(of.rows, 2, DType::f32, 6),
          logits(of.rows + kVocabularyMoreRows, (columns + 15) / 16 * 16, DType::bf16),
          workspace(1, vocabulary_workspace(of.rows, columns, of.d), DType::f32),
          table_sums(1, of.d, DType::f32),
          targets(tokens(of)) {
      std::vector<double> scales = values_of(scale.host);
      for (std::size_t row = 2; row < scales.size(); row += 7) {
        scales[row] = 0.0;  // rows that do not count
      }
      scale.set(scales);
      if (of.sure) {
        x.set(sure_states());
      }
    }

    static std::vector<std::int32_t> tokens(const Sizes& of) {
      std::vector<std::int32_t> ids;
      for (std::int64_t row = 0; row < of.rows; ++row) {
        ids.push_back(static_cast<std::int32_t>((row * 37 + of.vocabulary - 1) % of.vocabulary));
      }
      return ids;
    }
    // Multiples of rows of the table: their products with that row are some 40 times the factor of
    // 512 channels, with others a few times.
    std::vector<double> sure_states() const {
      const std::vector<double> e = values_of(table.host);
      std::vector<double> values = values_of(x.host);
      constexpr double kFactors[] = {0.0, 8.0, 8.0, 2.0, 2.4, 1.5};
      const auto d = static_cast<std::size_t>(sizes.d);
      for (std::size_t row = 0; row < values.size() / d; ++row) {
        const std::size_t kind = row % 6;
        const auto target = static_cast<std::size_t>(tokens(sizes)[row]);
        const std::size_t token =
            kind == 1 ? target : (target + 5) % static_cast<std::size_t>(sizes.vocabulary);
        const double factor = kFactors[kind] * 512.0 / static_cast<double>(d);
        for (std::size_t i = 0; kind > 0 && i < d; ++i) {
          values[row * d + i] = factor * e[token * d + i];
        }
      }
      return values;
    }

    VocabularyLossArgs args(bool on) const {
      View z = logits.view(on);
      z.cols = columns;
      View of_rows = z;
      of_rows.rows = sizes.rows;
      of_rows.cols = sizes.vocabulary;
      return {.x = x.view(on),
              .table = table.view(on),
              .dx = dx.view(on),
              .dtable = dtable.view(on),
              .loss = {.logits = of_rows,
                       .targets = targets.data(on),
                       .row_scale = static_cast<const float*>(scale.view(on).data),
                       .losses = losses.view(on),
                       .smoothing = sizes.smoothing,
                       .gradient = true},
              .logits = z,
              .workspace = workspace.view(on),
              .table_sums = table_sums.view(on),
              .accumulate_dx = sizes.accumulate,
              .accumulate_dtable = sizes.accumulate,
              .precision = on ? Precision::bf16 : Precision::f32};
    }

    Sizes sizes;
    std::int64_t columns;
    Both x, table, dx, dtable, scale, losses;
    Workspace logits, workspace, table_sums;
    Numbers<std::int32_t> targets;
  };

  static void expect_reference(const Sizes& sizes) {
    SCOPED_TRACE(::testing::Message()
                 << sizes.rows << " rows, " << sizes.vocabulary << " tokens, d " << sizes.d
                 << ", smoothing " << sizes.smoothing << (sizes.sure ? ", sure" : ""));
    const Problem problem(sizes);
    run(&Kernels::vocabulary_loss, [&](bool on) { return problem.args(on); });
    const std::vector<double> actual = problem.losses.device_values();
    const std::vector<double> expected = values_of(problem.losses.host);
    const double share = by_exponentials(sizes) ? 1e-5 : 1e-2;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], share * std::max(100.0, std::abs(expected[i])))
          << (i % 2 == 0 ? "loss" : "nll") << " of row " << i / 2;
      EXPECT_GE(actual[i], 0.0);
    }
    const double most = by_exponentials(sizes) ? 8e-3 : 4e-2;
    EXPECT_LT(norm_error(problem.dx.device_values(), values_of(problem.dx.host)), most) << "dx";
    EXPECT_LT(norm_error(problem.dtable.device_values(), values_of(problem.dtable.host)), most)
        << "dtable";
  }
};

TEST_F(CudaVocabularyLoss, IsTheReferences) {
  expect_reference({.rows = 1, .vocabulary = 1000, .d = 512});
  expect_reference({.rows = 130, .vocabulary = 999, .d = 512});
  expect_reference({.rows = 300, .vocabulary = 385, .d = 512, .smoothing = 0.0F});
  expect_reference({.rows = 257, .vocabulary = 130, .d = 264, .accumulate = true});
  expect_reference(
      {.rows = 64, .vocabulary = 2003, .d = 384, .smoothing = 0.0F, .accumulate = true});
  expect_reference({.rows = 20, .vocabulary = 5, .d = 320});
}

// Also with slices of columns that a tile of two has no second of, and blocks without rows.
TEST_F(CudaVocabularyLoss, OfWideStatesIsTheReferences) {
  expect_reference({.rows = 1, .vocabulary = 1000, .d = 1024});
  expect_reference({.rows = 131, .vocabulary = 999, .d = 1024});
  expect_reference({.rows = 300, .vocabulary = 385, .d = 768, .smoothing = 0.0F});
  expect_reference({.rows = 257, .vocabulary = 130, .d = 576, .accumulate = true});
  expect_reference(
      {.rows = 65, .vocabulary = 1283, .d = 640, .smoothing = 0.0F, .accumulate = true});
  expect_reference({.rows = 77, .vocabulary = 300, .d = 1000});
  expect_reference({.rows = 140, .vocabulary = 256, .d = 520});
  expect_reference({.rows = 20, .vocabulary = 5, .d = 1024});
}

TEST_F(CudaVocabularyLoss, OfOtherWidthsIsTheReferences) {
  expect_reference({.rows = 130, .vocabulary = 999, .d = 64});
  expect_reference({.rows = 40, .vocabulary = 130, .d = 1032, .accumulate = true});
  expect_reference({.rows = 40, .vocabulary = 130, .d = 1004});
  expect_reference({.rows = 40, .vocabulary = 131, .d = 300, .smoothing = 0.0F});
}

// Losses from 0 to more than 300: also those that have to be computed with another shift.
TEST_F(CudaVocabularyLoss, OfRowsThatAreSureIsTheReferences) {
  for (const float smoothing : {0.0F, 0.1F}) {
    for (const std::int64_t d : {512, 576, 1024}) {
      expect_reference(
          {.rows = 150, .vocabulary = 515, .d = d, .smoothing = smoothing, .sure = true});
    }
  }
  for (const std::int64_t d : {512, 1024}) {
    const Problem problem({.rows = 150, .vocabulary = 515, .d = d, .sure = true});
    run(&Kernels::vocabulary_loss, [&](bool on) { return problem.args(on); });
    const std::vector<double> losses = values_of(problem.losses.host);
    EXPECT_GT(*std::max_element(losses.begin(), losses.end()), 250.0);
  }
}

TEST_F(CudaVocabularyLoss, OfMoreTilesThanBlocksIsTheReferences) {
  expect_reference({.rows = 520, .vocabulary = 3001, .d = 264});
}

// Too many for the reference: beside other kernels of the GPU, with logits of f32.
TEST_F(CudaVocabularyLoss, OfManyTilesIsThatOfItsParts) {
  for (const Sizes& sizes : {Sizes{.rows = 3000, .vocabulary = 12001, .d = 512},
                             Sizes{.rows = 3001, .vocabulary = 12001, .d = 1024}}) {
    SCOPED_TRACE(sizes.d);
    const Problem problem(sizes);
    const auto results = [&] {
      return std::vector{problem.losses.device_values(), problem.dx.device_values(),
                         problem.dtable.device_values()};
    };
    cuda().kernels().vocabulary_loss(problem.args(true), cuda().exec());
    const auto actual = results();
    const Tensor logits(device_region(), DType::f32, Shape{sizes.rows, problem.columns});
    VocabularyLossArgs args = problem.args(true);
    args.logits = args.loss.logits = logits.view();
    args.loss.logits.cols = sizes.vocabulary;
    vocabulary_loss_in_parts(args, cuda().kernels(), cuda().exec());
    const auto expected = results();
    EXPECT_LT(norm_error(actual[0], expected[0]), by_exponentials(sizes) ? 1e-5 : 1e-2);
    EXPECT_LT(norm_error(actual[1], expected[1]), 1e-2);
    EXPECT_LT(norm_error(actual[2], expected[2]), 1e-2);
  }
}

TEST_F(CudaVocabularyLoss, HasTheSameBitsTwice) {
  for (const std::int64_t d : {512, 768, 1024}) {
    const Problem problem({.rows = 701, .vocabulary = 1501, .d = d, .sure = true});
    const auto results = [&] {
      cuda().kernels().vocabulary_loss(problem.args(true), cuda().exec());
      return std::vector{problem.losses.device_values(), problem.dx.device_values(),
                         problem.dtable.device_values()};
    };
    EXPECT_EQ(results(), results()) << d;
  }
}

TEST_F(CudaVocabularyLoss, OfLaterChunksTakesTheSumsOfTheFirst) {
  const Problem problem({.rows = 100, .vocabulary = 499, .d = 512});
  const auto losses = [&](bool first) {
    VocabularyLossArgs args = problem.args(true);
    args.first = first;
    cuda().kernels().vocabulary_loss(args, cuda().exec());
    return problem.losses.device_values();
  };
  const std::vector<double> of_first = losses(true);
  EXPECT_EQ(losses(false), of_first);
}

TEST_F(CudaVocabularyLoss, LeavesAConstantTableAlone) {
  const Problem problem({.rows = 100, .vocabulary = 499, .d = 512});
  const std::vector<double> before = problem.dtable.device_values();
  run(&Kernels::vocabulary_loss, [&](bool on) {
    VocabularyLossArgs args = problem.args(on);
    args.dtable = {};
    return args;
  });
  EXPECT_EQ(problem.dtable.device_values(), before);
  EXPECT_LT(norm_error(problem.dx.device_values(), values_of(problem.dx.host)), 4e-2);
}

// A run that went wrong must be seen by its losses.
TEST_F(CudaVocabularyLoss, OfStatesThatAreNoNumbersIsNone) {
  for (const std::size_t d : {512, 1024}) {
    const Problem problem({.rows = 40, .vocabulary = 499, .d = static_cast<std::int64_t>(d)});
    std::vector<double> states = values_of(problem.x.host);
    states[d * 3 + 7] = std::numeric_limits<double>::quiet_NaN();
    states[d * 5 + 1] = std::numeric_limits<double>::infinity();
    states[d * 6 + 2] = -std::numeric_limits<double>::infinity();
    problem.x.set(states);
    cuda().kernels().vocabulary_loss(problem.args(true), cuda().exec());
    const std::vector<double> losses = problem.losses.device_values();
    for (std::size_t row = 0; row < 40; ++row) {
      EXPECT_EQ(std::isfinite(losses[2 * row]), row != 3 && row != 5 && row != 6)
          << d << ", " << row;
    }
  }
}

}  // namespace
}  // namespace yona::testing
