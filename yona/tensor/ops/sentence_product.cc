#include "yona/tensor/ops/sentence_product.h"

#include <vector>

namespace yona {

namespace {

View some_columns(View view, std::int64_t count) {
  view.cols = count;
  return view;
}

View some_rows(View view, std::int64_t first, std::int64_t count) {
  view.data = static_cast<char*>(view.data) +
              first * view.stride * static_cast<std::int64_t>(size_of(view.dtype));
  view.rows = count;
  return view;
}

// Calls function(rows of k, rows of tokens, columns of the weight) for each sentence with tokens.
template <class Function>
void for_each_sentence(const Ragged& x, std::int64_t k, const Context& c,
                       const Function& function) {
  if (c.backend().device() == Device::meta) {  // has no offsets, and computes nothing
    return;
  }
  const auto offsets = x.layout->offsets.to_vector<std::int64_t>();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (const std::int64_t tokens = offsets[s + 1] - offsets[s]; tokens > 0) {
      function(static_cast<std::int64_t>(s) * k, offsets[s], tokens);
    }
  }
}

}  // namespace

Tensor sentence_product(const Tensor& weight, const Ragged& x, Context& c) {
  const std::int64_t k = weight.rows();
  check(x.layout->longest <= weight.cols(),
        "sentence_product: a sentence of {} tokens is longer than the {} of the weight",
        x.layout->longest, weight.cols());
  check<NotImplemented>(weight.dtype() == x.values.dtype(),
                        "sentence_product: a weight of {} and tokens of {}; it computes in f32",
                        weight.dtype(), x.values.dtype());
  Tensor y = c.zeros(x.values.dtype(), Shape{x.layout->sentences * k, x.values.cols()});
  for_each_sentence(x, k, c, [&](std::int64_t row, std::int64_t token, std::int64_t tokens) {
    c.kernels().matmul({.a = some_columns(weight.view(), tokens),
                        .b = some_rows(x.values.view(), token, tokens),
                        .c = some_rows(y.view(), row, k)},
                       c.exec());
  });
  if (records(c, weight, x.values)) {
    y.set_requires_gradient();
    // y_s = W_s x_s:   dx_s = W_sᵀ dy_s,  dW_s += dy_s x_sᵀ
    c.tape->record([weight, x, y, k, &c] {
      const Tensor dy = y.gradient();
      if (!dy) {
        return;
      }
      const GradientTarget dx = gradient_target(x.values, c.region);
      const View dw = gradient_sum(weight, c.region);
      for_each_sentence(x, k, c, [&](std::int64_t row, std::int64_t token, std::int64_t tokens) {
        const View of_sentence = some_rows(dy.view(), row, k);
        if (dx.tensor) {
          c.kernels().matmul({.a = some_columns(weight.view(), tokens),
                              .b = of_sentence,
                              .c = some_rows(dx.view(), token, tokens),
                              .transpose_a = true,
                              .accumulate = dx.accumulate},
                             c.exec());
        }
        if (dw) {
          c.kernels().matmul({.a = of_sentence,
                              .b = some_rows(x.values.view(), token, tokens),
                              .c = some_columns(dw, tokens),
                              .transpose_b = true,
                              .accumulate = true},
                             c.exec());
        }
      });
    });
  }
  return y;
}

}  // namespace yona
