// Row kernels on the device, in f32 and bf16 and at widths around their packs and chunks.

#include <cmath>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr DType kTypes[] = {DType::f32, DType::bf16};
constexpr std::int64_t kWidths[] = {1, 7, 8, 100, 256, 257, 512, 1000, 2048};
constexpr std::int64_t kHeights[] = {1, 9, 700};

class CudaRows : public CudaTest {
 protected:
  static void expect_norms_of_reference(std::int64_t rows, std::int64_t cols, DType dtype);
};

TEST_F(CudaRows, DropoutKeepsWhatTheReferenceKeeps) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t cols : kWidths) {
      SCOPED_TRACE(cols);
      const std::int64_t rows = 37;
      const Both x(rows, cols, dtype, 1, 1.0, 2.0);
      const Both y(rows, cols, dtype, 2);
      const auto keys = row_keys(rows);
      run(&Kernels::dropout, [&](bool on) {
        return DropoutArgs{.x = x.view(on),
                           .y = y.view(on),
                           .row_keys = keys.keys(on),
                           .dropout = Dropout::with(0.3, 99, 5)};
      });
      const std::vector<double> device = y.device_values();
      const std::vector<double> host = values_of(y.host);
      for (std::size_t i = 0; i < host.size(); ++i) {
        ASSERT_EQ(device[i] == 0.0, host[i] == 0.0) << "element " << i;
      }
      y.expect_equal("dropout");
    }
  }
}

void CudaRows::expect_norms_of_reference(std::int64_t rows, std::int64_t cols, DType dtype) {
  SCOPED_TRACE(::testing::Message() << rows << "×" << cols << " " << name_of(dtype));
  const Both x(rows, cols, dtype, 1);
  const Both r(rows, cols, dtype, 2);
  const Both s(rows, cols, dtype, 3);
  const Both y(rows, cols, dtype, 4);
  const Both weight(1, cols, DType::f32, 5);
  const Both bias(1, cols, DType::f32, 6);
  const Both statistics(rows, 2, DType::f32, 7);
  const auto keys = row_keys(rows);
  const auto forward = [&](bool on) {
    return ResidualNormArgs{.x = x.view(on),
                            .r = r.view(on),
                            .s = s.view(on),
                            .y = y.view(on),
                            .weight = weight.view(on),
                            .bias = bias.view(on),
                            .statistics = statistics.view(on),
                            .row_keys = keys.keys(on),
                            .dropout = Dropout::with(0.1, 3, 4)};
  };
  run(&Kernels::residual_norm, forward);
  s.expect_equal("s");
  if (cols > 1) {
    y.expect_equal("y", dtype == DType::bf16 ? 3e-2 : 1e-4);
  }
  // From here on both sides see the same s and statistics.
  s.set(s.device_values());
  statistics.set(statistics.device_values());
  const Both dy(rows, cols, dtype, 8);
  const Both ds(rows, cols, dtype, 9);
  const Both dx(rows, cols, dtype, 10);
  const Both dr(rows, cols, dtype, 11);
  const Both dweight(1, cols, DType::f32, 12);
  const Both dbias(1, cols, DType::f32, 13);
  const Both dr_sums(1, cols, DType::f32, 14);
  run(&Kernels::residual_norm_backward, [&](bool on) {
    return ResidualNormBackwardArgs{.forward = forward(on),
                                    .dy = dy.view(on),
                                    .ds = ds.view(on),
                                    .dx = dx.view(on),
                                    .dr = dr.view(on),
                                    .accumulate_dx = true,
                                    .dweight = dweight.view(on),
                                    .dbias = dbias.view(on),
                                    .dr_sums = dr_sums.view(on)};
  });
  if (cols > 1) {
    dx.expect_equal("dx", dtype == DType::bf16 ? 3e-2 : 1e-4);
    dr.expect_equal("dr", dtype == DType::bf16 ? 3e-2 : 1e-4);
    dweight.expect_equal("dweight", 1e-4);
    dr_sums.expect_equal("sums of dr", dtype == DType::bf16 ? 1e-2 : 1e-4);
  }
  dbias.expect_equal("dbias", 1e-4);
}

TEST_F(CudaRows, ResidualNormAndItsGradientsAreTheReferences) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t cols : kWidths) {
      for (const std::int64_t rows : kHeights) {
        expect_norms_of_reference(rows, cols, dtype);
      }
    }
  }
}

TEST_F(CudaRows, NormsOfMoreRowsThanWarpsAreTheReferences) {
  expect_norms_of_reference(3300, 512, DType::bf16);
  for (const std::int64_t rows : {1, 700, 1200, 3300}) {
    expect_norms_of_reference(rows, 1024, DType::bf16);
  }
}

// Sums over rows wait until a backward pass ends; those of one that failed are forgotten.
TEST_F(CudaRows, SumsOfAPassThatFailedAreForgotten) {
  constexpr std::int64_t kCols = 24;
  const Both y(50, kCols, DType::f32, 1);
  const Both dy(50, kCols, DType::f32, 2);
  const Both db(1, kCols, DType::f32, 3);
  const std::vector<double> before = db.device_values();
  const auto args = [&](bool on) {
    return BiasActivationBackwardArgs{
        .y = y.view(on), .dy = dy.view(on), .bias_gradient = db.view(on)};
  };
  cuda().begin_backward();
  cuda().kernels().bias_activation_backward(args(true), cuda().exec());
  EXPECT_EQ(db.device_values(), before);  // they wait
  cuda().abandon_backward();
  EXPECT_EQ(db.device_values(), before);
  cuda().begin_backward();
  run(&Kernels::bias_activation_backward, args);
  EXPECT_EQ(db.device_values(), before);
  cuda().end_backward();
  db.expect_equal("sums of the pass that did not fail", 1e-5);
}

// How sums are added depends on their own width, not on what waits with them.
TEST_F(CudaRows, SumsHaveTheSameBitsWhateverWaitsBesideThem) {
  constexpr std::int64_t kRows = 1000;
  const Both dy(kRows, 24, DType::f32, 1);
  const Both odd(kRows, 23, DType::f32, 2);
  const Both alone(1, 24, DType::f32, 3);
  const Both beside(1, 24, DType::f32, 3);
  const Both odd_sums(1, 23, DType::f32, 4);
  const auto add = [](const Both& rows, const Both& sums) {
    cuda().kernels().bias_activation_backward(
        {.y = rows.view(true), .dy = rows.view(true), .bias_gradient = sums.view(true)},
        cuda().exec());
  };
  add(dy, alone);
  cuda().begin_backward();
  add(odd, odd_sums);
  add(dy, beside);
  cuda().end_backward();
  EXPECT_EQ(alone.device_values(), beside.device_values());
}

TEST_F(CudaRows, BiasAndActivationBackwardIsTheReferences) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t cols : kWidths) {
      for (const std::int64_t rows : kHeights) {
        for (const Activation activation : {Activation::none, Activation::relu}) {
          SCOPED_TRACE(::testing::Message() << rows << "×" << cols);
          const Both y(rows, cols, dtype, 1);
          const Both dy(rows, cols, dtype, 2);
          const Both db(1, cols, DType::f32, 3);
          run(&Kernels::bias_activation_backward, [&](bool on) {
            return BiasActivationBackwardArgs{.y = y.view(on),
                                              .dy = dy.view(on),
                                              .bias_gradient = db.view(on),
                                              .activation = activation,
                                              .scale = 1.25F};
          });
          dy.expect_equal("dy");
          db.expect_equal("db", dtype == DType::bf16 ? 1e-2 : 1e-4);
        }
      }
    }
  }
}

TEST_F(CudaRows, EmbeddingAndItsGradientsAreTheReferences) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t cols : {8, 100, 512}) {
      for (const std::int64_t rows : {1, 5000}) {
        SCOPED_TRACE(::testing::Message() << rows << "×" << cols);
        std::vector<std::int32_t> id_values;
        std::vector<std::int32_t> position_values;
        RandomSequence random(3);
        for (std::int64_t i = 0; i < rows; ++i) {  // one id in two is 5, one in two any other
          id_values.push_back(static_cast<std::int32_t>(i % 2 == 0 ? 5 : random.below(300)));
          position_values.push_back(static_cast<std::int32_t>(i % 40));
        }
        const Numbers<std::int32_t> ids(id_values);
        const Numbers<std::int32_t> positions(position_values);
        const auto keys = row_keys(rows);
        const Both table(300, cols, DType::f32, 1);
        const Both place(40, cols, DType::f32, 2);
        const Both y(rows, cols, dtype, 3);
        const auto args = [&](bool on) {
          return EmbedArgs{.ids = ids.data(on),
                           .position_ids = positions.data(on),
                           .row_keys = keys.keys(on),
                           .table = table.view(on),
                           .positions = place.view(on),
                           .y = y.view(on),
                           .scale = 3.0F,
                           .padding_id = 7,
                           .dropout = Dropout::with(0.2, 11, 12)};
        };
        run(&Kernels::embed, args);
        y.expect_equal("y");
        y.set(y.device_values());
        const Both dtable(300, cols, DType::f32, 4);
        const Both dplace(40, cols, DType::f32, 5);
        run(&Kernels::embed_backward, [&](bool on) {
          return EmbedBackwardArgs{.forward = args(on),
                                   .table_gradient = dtable.view(on),
                                   .position_gradient = dplace.view(on)};
        });
        dtable.expect_equal("table gradient", 1e-4);
        dplace.expect_equal("position gradient", 1e-4);
      }
    }
  }
}

// Few ids, each of thousands of rows, as BERT's segments have.
TEST_F(CudaRows, TheGradientOfASmallTableIsTheReferences) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t table_rows : {1, 2, 4}) {
      SCOPED_TRACE(::testing::Message() << table_rows << " " << name_of(dtype));
      constexpr std::int64_t kRows = 5000;
      constexpr std::int64_t kCols = 300;
      std::vector<std::int32_t> id_values;
      for (std::int64_t i = 0; i < kRows; ++i) {
        id_values.push_back(static_cast<std::int32_t>(i / 7 % table_rows));
      }
      const Numbers<std::int32_t> ids(id_values);
      const auto keys = row_keys(kRows);
      const Both table(table_rows, kCols, DType::f32, 1);
      const Both y(kRows, kCols, dtype, 2);
      const Both gradient(table_rows, kCols, DType::f32, 3);
      run(&Kernels::embed_backward, [&](bool on) {
        return EmbedBackwardArgs{.forward = {.ids = ids.data(on),
                                             .row_keys = keys.keys(on),
                                             .table = table.view(on),
                                             .y = y.view(on),
                                             .scale = 2.0F,
                                             .padding_id = table_rows == 4 ? 3 : -1,
                                             .dropout = Dropout::with(0.2, 11, 12)},
                                 .table_gradient = gradient.view(on),
                                 .position_gradient = {}};
      });
      gradient.expect_equal("gradient", 1e-3);
    }
  }
}

TEST_F(CudaRows, CrossEntropyOfALargeVocabularyIsTheReferences) {
  for (const DType dtype : kTypes) {
    for (const std::int64_t vocabulary : {3, 1000, 37056}) {
      const std::int64_t rows = 20;
      const Both logits(rows, vocabulary, dtype, 1, -8.0, 8.0);
      const Both losses(rows, 2, DType::f32, 2);
      const Both scale(1, rows, DType::f32, 3);
      std::vector<std::int32_t> values;
      for (std::int64_t i = 0; i < rows; ++i) {
        values.push_back(static_cast<std::int32_t>(i * 17 % vocabulary));
      }
      const Numbers<std::int32_t> targets(values);
      run(&Kernels::cross_entropy, [&](bool on) {
        return CrossEntropyArgs{.logits = logits.view(on),
                                .targets = targets.data(on),
                                .row_scale = static_cast<const float*>(scale.view(on).data),
                                .losses = losses.view(on),
                                .smoothing = 0.1F,
                                .gradient = true};
      });
      losses.expect_equal("losses", 1e-5);
      logits.expect_equal("gradient");
    }
  }
}

TEST_F(CudaRows, SumsAndConstantsAreTheReferences) {
  for (const std::int64_t cols : kWidths) {
    const Both a(50, cols, DType::f32, 1);
    const Both b(50, cols, DType::f32, 2);
    const Both y(50, cols, DType::f32, 3);
    run(&Kernels::add, [&](bool on) {
      return AddArgs{.a = a.view(on), .b = b.view(on), .y = y.view(on), .alpha = 2, .beta = -3};
    });
    y.expect_equal("sum");
    const Both rounded(50, cols, DType::bf16, 3);
    run(&Kernels::add,
        [&](bool on) { return AddArgs{.a = a.view(on), .b = {}, .y = rounded.view(on)}; });
    rounded.expect_equal("conversion to bf16", 0x1.0p-8);
    run(&Kernels::fill, [&](bool on) { return FillArgs{.y = y.view(on), .value = 1.5F}; });
    y.expect_equal("constant", 0.0);
  }
}

TEST_F(CudaRows, AdamAndTheNormAreTheReferences) {
  for (const std::int64_t n : {1, 1001, 300000}) {
    const Both w(1, n, DType::f32, 1);
    const Both g(1, n, DType::f32, 2);
    const Both m(1, n, DType::f32, 3);
    const Both v(1, n, DType::f32, 4, 0.0, 1.0);
    const Both average(1, n, DType::f32, 5);
    const Both rounded(1, n, DType::bf16, 6);
    const Tensor host_norm(host_region(), DType::f64, Shape{1});
    const Tensor device_norm(device_region(), DType::f64, Shape{1});
    const auto norm = [&](bool on) { return (on ? device_norm : host_norm).data<double>(); };
    run(&Kernels::squared_norm,
        [&](bool on) { return SquaredNormArgs{.x = g.view(on), .out = norm(on)}; });
    EXPECT_NEAR(device_norm.to_vector<double>()[0] / host_norm.to_vector<double>()[0], 1.0, 1e-12);
    run(&Kernels::adam, [&](bool on) {
      return AdamArgs{.weights = w.view(on),
                      .gradients = g.view(on),
                      .m = m.view(on),
                      .v = v.view(on),
                      .average = average.view(on),
                      .rounded = rounded.view(on),
                      .squared_norm = norm(on),
                      .clip_norm = 1.0F,
                      .rate = 0.01F,
                      .decay = 0.1F,
                      .ema = 0.9F,
                      .correction1 = 0.5F,
                      .correction2 = 0.25F};
    });
    for (const Both* each : {&w, &m, &v, &average}) {
      each->expect_equal("adam");
    }
    const std::vector<double> copy = rounded.device_values();
    const std::vector<double> weights = w.device_values();
    for (std::size_t i = 0; i < copy.size(); ++i) {
      ASSERT_EQ(copy[i], from_bf16(to_bf16(static_cast<float>(weights[i])))) << i;
    }
  }
}

TEST_F(CudaRows, AdamChangesNothingAfterAGradientThatIsNotFinite) {
  const Both w(1, 100, DType::f32, 1);
  const Both g(1, 100, DType::f32, 2);
  const Both m(1, 100, DType::f32, 3);
  const Both v(1, 100, DType::f32, 4);
  const std::vector<double> before = w.device_values();
  const Tensor norm(device_region(), DType::f64, Shape{1});
  norm.upload(std::vector<double>{INFINITY});
  cuda().kernels().adam({.weights = w.view(true),
                         .gradients = g.view(true),
                         .m = m.view(true),
                         .v = v.view(true),
                         .squared_norm = norm.data<double>(),
                         .rate = 1.0F},
                        cuda().exec());
  EXPECT_EQ(w.device_values(), before);
}

}  // namespace
}  // namespace yona::testing
