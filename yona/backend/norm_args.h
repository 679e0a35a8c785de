// What kernels are given: layer, RMS and batch normalisation. Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/dropout.h"
#include "yona/backend/matmul_args.h"

namespace yona {

// s = x + dropout(r);  y = (s - mean) · rstd · weight + bias, per row.
// x alone (no r): plain layer normalisation, s is then x and not written.
struct ResidualNormArgs {
  View x{}, r{}, s{}, y{};  // s may be r
  View weight{}, bias{};    // [1, d]
  View statistics{};        // [rows, 2]: mean and 1/√(variance + epsilon)
  float epsilon = 1e-5F;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

// From dy and (optionally) ds, the gradient that reached s by another path:
//   x̂ = (s - mean) · rstd;  g = dy ∘ weight
//   total = rstd · (g - mean(g) - x̂ · mean(g ∘ x̂)) + ds
//   dx (+)= total;  dr (+)= mask ∘ total;  dweight += Σ dy ∘ x̂;  dbias += Σ dy
// and, where Kernel::gradient_sums says so, dr_sums += Σ dr.
struct ResidualNormBackwardArgs {
  ResidualNormArgs forward{};  // s, weight, statistics, row_keys and dropout are read
  View dy{}, ds{};             // ds optional
  View dx{}, dr{};             // each optional
  bool accumulate_dx = false;
  bool accumulate_dr = false;
  View dweight{}, dbias{};  // each optional
  View dr_sums{};           // optional; dr is then there, and not added to
};

// s = x + a · weightᵀ + bias;  y = the layer normalisation of s: what ends a sub-layer, and the
// norm behind it, in a pass that has no backward. The plain composition is matmul and
// residual_norm. The contents of `workspace` and
// `statistics` on return are unspecified.
struct LinearNormArgs {
  View a{}, weight{};               // [rows, k] and [n, k], as operands of matmul
  View bias{};                      // [1, n], optional
  View x{}, s{}, y{};               // [rows, n]; s optional
  View norm_weight{}, norm_bias{};  // [1, n]
  View workspace{};                 // [rows, n]
  View statistics{};                // [rows, 2]
  float epsilon = 1e-5F;
  Precision precision = Precision::f32;

  MatmulArgs product() const {
    return {.a = a,
            .b = weight,
            .c = workspace,
            .transpose_b = true,
            .bias = bias,
            .precision = precision};
  }
  ResidualNormArgs norm() const {
    return {.x = x,
            .r = workspace,
            .s = s ? s : workspace,
            .y = y,
            .weight = norm_weight,
            .bias = norm_bias,
            .statistics = statistics,
            .epsilon = epsilon};
  }
};

// y = x · rstd ∘ weight, rstd = 1/√(mean(x²) + epsilon), per row (Zhang and Sennrich 2019).
struct RmsNormArgs {
  View x{}, y{};
  View weight{};      // [1, d]
  View statistics{};  // [rows, 1]: rstd
  float epsilon = 1e-6F;
};

// g = dy ∘ weight, x̂ = x · rstd:  dx (+)= rstd · (g - x̂ · mean(g ∘ x̂));  dweight += Σ dy ∘ x̂
struct RmsNormBackwardArgs {
  RmsNormArgs forward{};  // x, weight and statistics are read
  View dy{}, dx{};        // dx optional
  bool accumulate_dx = false;
  View dweight{};  // optional
};

// Whose mean and variance batch normalisation uses: those of x, which then enter the running ones;
// those of x alone, where a pass repeats an earlier one; or the running ones, which stay.
enum class BatchStatistics : std::uint8_t { of_batch, of_batch_again, running };

// y = (x - mean) · rstd ∘ weight + bias, rstd = 1/√(variance + epsilon), with the mean and the
// variance of each column over all rows (Ioffe and Szegedy 2015). The variance is that of the rows;
// what enters the running one is divided by rows - 1 instead:
//   running += momentum · (statistic - running)
// One row has no variance, and statistics that are not finite are of no use: neither enters.
struct BatchNormArgs {
  View x{}, y{};                            // [T, d]
  View weight{}, bias{};                    // [1, d]
  View running_mean{}, running_variance{};  // [1, d]
  View statistics{};                        // [2, d]: the mean and rstd that y was made with
  BatchStatistics use = BatchStatistics::of_batch;
  float epsilon = 1e-5F;
  double momentum = 0.1;
};

// x̂ = (x - mean) · rstd;  dweight += Σ dy ∘ x̂;  dbias += Σ dy
//   dx (+)= weight · rstd · (dy - mean(dy) - x̂ · mean(dy ∘ x̂)), means over the rows;
//   dx (+)= weight · rstd · dy with the running statistics, which do not depend on x
struct BatchNormBackwardArgs {
  BatchNormArgs forward{};  // x, weight, statistics and use are read
  View dy{}, dx{};          // dx optional
  bool accumulate_dx = false;
  View sums{};              // [2, d]: room for Σ dy and Σ dy ∘ x̂
  View dweight{}, dbias{};  // each optional
};

}  // namespace yona
