#include "yona/tensor/ops/cross_entropy.h"

#include <algorithm>

#include "yona/tensor/operand.h"

namespace yona {

namespace {

// Few enough that a chunk of logits stays in the last-level cache, enough for efficient products.
// Tiles of bf16 are so fast that passes over the weights, one for each chunk, count for more. A GPU
// needs many more rows to be busy: there a chunk is up to 7 · 2²⁵ logits and 2²³ channels of at
// most 2¹⁴ rows, for which the loss takes up to 60 MB besides the logits, and chunks are equal.
std::int64_t rows_per_chunk(const CrossEntropyOptions& options, const Tensor& x,
                            std::int64_t vocabulary, const Context& c) {
  if (options.chunk_rows > 0) {
    return options.chunk_rows;
  }
  const auto fitting = [&](std::int64_t elements) {
    return elements / std::max<std::int64_t>(vocabulary, 1) / 64 * 64;
  };
  if (!c.backend().wants_large_products()) {
    const bool tiles = c.precision == Precision::bf16 && rounds_operands(c);
    return std::clamp<std::int64_t>(fitting(std::int64_t{1} << (tiles ? 24U : 22U)), 128, 512);
  }
  const std::int64_t rows = x.rows();
  constexpr std::int64_t kFewest = 64;
  const std::int64_t most_rows =
      std::clamp<std::int64_t>((1 << 23) / std::max<std::int64_t>(x.cols(), 1), kFewest, 1 << 14);
  const std::int64_t most =
      std::clamp<std::int64_t>(fitting(std::int64_t{7} << 25U), kFewest, most_rows);
  const std::int64_t chunks = std::max<std::int64_t>((rows + most - 1) / most, 1);
  return std::max<std::int64_t>((rows + chunks - 1) / chunks + 63, kFewest) / 64 * 64;
}

// Logits, and later their gradients, of a few rows. Rows begin on cache lines: a vocabulary without
// its padding id has an odd size.
struct Logits {
  Tensor rows;     // [n, a multiple of 16]
  Tensor columns;  // [n, the columns that products see]: its first ones
  Tensor values;   // [n, vocabulary]: the first of those
};

class ChunkedLoss {
 public:
  ChunkedLoss(const Tensor& projection, const Tensor& targets, const CrossEntropyOptions& options,
              Context& c)
      : projection_(projection), targets_(targets), options_(options), c_(c) {
    if (c.backend().wants_even_widths() && !options.bias) {
      columns_ = even_columns();
    }
  }

  // Rows `begin` … of x as an operand: of its rounded copy, where that has zeros or whole units
  // after them.
  View operand_rows(const Tensor& x, std::int64_t begin, std::int64_t rows) const {
    const Tensor part = x.row_range(begin, rows);
    const bool last = begin + rows == x.rows();
    if (begin % kRoundedRows != 0 || (!last && rows % kRoundedRows != 0)) {
      return part.view();
    }
    operand(x, c_);
    return operand_part(part, c_);
  }

  // Memory for the logits of this many rows.
  Logits logits_for(std::int64_t n) const {
    const std::int64_t vocabulary = projection_.rows();
    const Tensor rows =
        c_.empty(c_.activation_type(projection_.dtype()), Shape{n, (vocabulary + 15) / 16 * 16});
    return {rows, rows.columns(0, columns_), rows.columns(0, vocabulary)};
  }

  Logits logits(const View& x_rows) const {
    Logits z = logits_for(x_rows.rows);
    c_.kernels().matmul({.a = x_rows,
                         .b = extended(operand_part(projection_, c_)),
                         .c = z.columns.view(),
                         .transpose_b = true,
                         .bias = bias_row(z),
                         .precision = c_.precision},
                        c_.exec());
    return z;
  }

  CrossEntropyArgs args(const Logits& z, std::int64_t begin, const Tensor& losses,
                        bool gradient) const {
    return {.logits = z.values.view(),
            .targets = targets_.data<std::int32_t>() + begin,
            .row_scale = options_.row_scale ? options_.row_scale.data<float>() + begin : nullptr,
            .losses = losses.view(),
            .smoothing = options_.smoothing,
            .gradient = gradient};
  }

  // One kernel for a chunk and its gradients, where a GPU keeps activations in bf16 and may have
  // something better for it than its parts. It knows no bias.
  bool is_whole(const Tensor& x) const {
    return c_.backend().fuses_loss(x.cols(), x.dtype()) && !options_.bias;
  }
  // Σ_j E_j, which the kernel makes at the first chunk for those that follow.
  Tensor table_sums() const { return c_.empty(DType::f32, Shape{1, projection_.cols()}); }

  void whole(const View& x_rows, std::int64_t begin, const Tensor& losses, const Tensor& dx_rows,
             bool accumulate_dx, const Tensor& sums) const {
    const std::int64_t rows = x_rows.rows;
    const Logits z = logits_for(rows + kVocabularyMoreRows);
    const Tensor workspace =
        c_.empty(DType::f32, Shape{1, vocabulary_workspace(rows, columns_, x_rows.cols)});
    const GradientTarget de = gradient_target(projection_, c_.region);
    CrossEntropyArgs of_rows = args(z, begin, losses, true);
    of_rows.logits.rows = rows;
    c_.kernels().vocabulary_loss({.x = x_rows,
                                  .table = extended(operand_part(projection_, c_)),
                                  .dx = dx_rows.view(),
                                  .dtable = de.tensor ? extended(de.view()) : View{},
                                  .loss = of_rows,
                                  .logits = z.columns.view(),
                                  .workspace = workspace.view(),
                                  .table_sums = sums.view(),
                                  .first = begin == 0,
                                  .accumulate_dx = accumulate_dx,
                                  .accumulate_dtable = de.accumulate,
                                  .precision = c_.precision},
                                 c_.exec());
  }

  // z holds dloss/dlogits:  dx = dz E,  dE += dzᵀ x,  db += Σ_rows dz
  void backward(const Logits& dz, const View& x_rows, const Tensor& dx_rows,
                bool accumulate_dx) const {
    if (const std::int64_t more = columns_ - projection_.rows(); more > 0) {
      const Tensor beyond = dz.rows.columns(projection_.rows(), more);
      c_.kernels().fill({.y = beyond.view(), .value = 0.0F}, c_.exec());
    }
    if (const View db = options_.bias ? gradient_sum(options_.bias, c_.region) : View{}) {
      c_.kernels().bias_activation_backward(
          {.y = dz.values.view(), .dy = dz.values.view(), .bias_gradient = db}, c_.exec());
    }
    operand(dz.rows, c_);
    c_.kernels().matmul({.a = operand_part(dz.columns, c_),
                         .b = extended(operand_part(projection_, c_)),
                         .c = dx_rows.view(),
                         .accumulate = accumulate_dx,
                         .precision = c_.precision},
                        c_.exec());
    if (const GradientTarget de = gradient_target(projection_, c_.region); de.tensor) {
      c_.kernels().matmul({.a = operand_part(dz.columns, c_),
                           .b = x_rows,
                           .c = extended(de.view()),
                           .transpose_a = true,
                           .accumulate = de.accumulate,
                           .precision = c_.precision},
                          c_.exec());
    }
  }

 private:
  // A GPU multiplies matrices of odd width at a seventh of the speed of even ones. The projection
  // is a table without its last row, <pad>: where more rows follow in memory, products see as many
  // as make the width even (of 16 bytes); their logits are ignored, and gradients zero.
  std::int64_t even_columns() const {
    const std::int64_t V = projection_.rows();
    const std::int64_t even = (V + 7) / 8 * 8;
    const auto* begin = static_cast<const char*>(projection_.storage()->data);
    const auto* first = static_cast<const char*>(projection_.raw());
    const std::int64_t end =
        first - begin +
        even * projection_.stride() * static_cast<std::int64_t>(size_of(projection_.dtype()));
    return projection_.contiguous() && end <= projection_.storage()->bytes ? even : V;
  }
  // The bias as products want it: of the logits' type.
  View bias_row(const Logits& z) const {
    return !options_.bias                 ? View{}
           : size_of(z.rows.dtype()) == 2 ? operand_part(options_.bias, c_)
                                          : options_.bias.view();
  }
  View extended(View rows) const {
    rows.rows = columns_;
    return rows;
  }

  const Tensor& projection_;
  const Tensor& targets_;
  const CrossEntropyOptions& options_;
  Context& c_;
  std::int64_t columns_ = projection_.rows();  // of logits in products
};

void check_shapes(const Tensor& x, const Tensor& projection, const Tensor& targets,
                  const CrossEntropyOptions& options, bool gradient) {
  check(x.cols() == projection.cols(), "cross_entropy: input {} does not fit the projection {}",
        x.shape(), projection.shape());
  check(targets.elements() == x.rows(), "cross_entropy: {} targets for {} rows", targets.elements(),
        x.rows());
  check(!gradient || (options.row_scale && options.row_scale.elements() == x.rows()),
        "cross_entropy: training needs one row scale for each of {} rows", x.rows());
  check(!options.bias || options.bias.elements() == projection.rows(),
        "cross_entropy: bias {} does not fit the projection {}", options.bias.shape(),
        projection.shape());
  check(options.smoothing >= 0 && options.smoothing < 1,
        "cross_entropy: label smoothing {} is not in [0, 1)", options.smoothing);
}

}  // namespace

Tensor linear_cross_entropy(const Tensor& x, const Tensor& projection, const Tensor& targets,
                            const CrossEntropyOptions& options, Context& c) {
  const bool gradient = records(c, x);
  const ProfilePart part(c.exec().profile, "vocabulary");
  check_shapes(x, projection, targets, options, gradient);
  Tensor losses = c.empty(sum_type(x.dtype()), Shape{x.rows(), 2});
  const GradientTarget dx = gradient ? gradient_target(x, c.region) : GradientTarget{};
  const ChunkedLoss loss(projection, targets, options, c);
  const std::int64_t chunk = rows_per_chunk(options, x, projection.rows(), c);
  const bool whole = gradient && loss.is_whole(x);
  const Tensor sums = whole ? loss.table_sums() : Tensor();
  for (std::int64_t begin = 0; begin < x.rows(); begin += chunk) {
    const std::int64_t rows = std::min(chunk, x.rows() - begin);
    const View x_rows = loss.operand_rows(x, begin, rows);
    if (whole) {
      loss.whole(x_rows, begin, losses.row_range(begin, rows), dx.tensor.row_range(begin, rows),
                 dx.accumulate, sums);
      continue;
    }
    const Logits z = loss.logits(x_rows);
    c.kernels().cross_entropy(loss.args(z, begin, losses.row_range(begin, rows), gradient),
                              c.exec());
    if (gradient) {
      loss.backward(z, x_rows, dx.tensor.row_range(begin, rows), dx.accumulate);
    }
  }
  return losses;
}

Tensor linear_rdrop(const Tensor& x, const Tensor& x2, const Tensor& projection,
                    const Tensor& targets, float alpha, const CrossEntropyOptions& options,
                    Context& c) {
  const bool gradient = records(c, x, x2);
  const ProfilePart part(c.exec().profile, "vocabulary");
  check(x.shape() == x2.shape(), "rdrop: passes of shape {} and {} differ", x.shape(), x2.shape());
  check_shapes(x, projection, targets, options, gradient);
  Tensor losses = c.empty(sum_type(x.dtype()), Shape{2 * x.rows(), 2});
  const GradientTarget dx = gradient ? gradient_target(x, c.region) : GradientTarget{};
  const GradientTarget dx2 = gradient ? gradient_target(x2, c.region) : GradientTarget{};
  const ChunkedLoss loss(projection, targets, options, c);
  const std::int64_t chunk = rows_per_chunk(options, x, projection.rows(), c);
  for (std::int64_t begin = 0; begin < x.rows(); begin += chunk) {
    const std::int64_t rows = std::min(chunk, x.rows() - begin);
    const View x_rows = loss.operand_rows(x, begin, rows);
    const View x2_rows = loss.operand_rows(x2, begin, rows);
    const Logits z = loss.logits(x_rows);
    const Logits z2 = loss.logits(x2_rows);
    c.kernels().rdrop(
        {.first = loss.args(z, begin, losses.row_range(begin, rows), gradient),
         .second = loss.args(z2, begin, losses.row_range(x.rows() + begin, rows), gradient),
         .alpha = alpha},
        c.exec());
    if (gradient) {
      loss.backward(z, x_rows, dx.tensor.row_range(begin, rows), dx.accumulate);
      loss.backward(z2, x2_rows, dx2.tensor.row_range(begin, rows), dx2.accumulate);
    }
  }
  return losses;
}

}  // namespace yona
