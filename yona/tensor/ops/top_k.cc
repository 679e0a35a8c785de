#include "yona/tensor/ops/top_k.h"

#include "yona/tensor/quantised_weights.h"

namespace yona {

namespace {

// Room for the results.
TopK make_result(const TopKOptions& options, std::int64_t rows, Context& c) {
  const std::int64_t sentences = options.groups.elements() - 1;
  return {c.empty(DType::f32, Shape{sentences, options.k}),
          c.empty(DType::i32, Shape{sentences, options.k}),
          c.empty(DType::i32, Shape{sentences, options.k}), c.empty(DType::f32, Shape{rows})};
}

TopKArgs make_args(const View& logits, const TopKOptions& options, const TopK& result) {
  const std::int64_t rows = logits.rows;
  const Shape shape{rows, logits.cols};
  const std::int64_t sentences = options.groups.elements() - 1;
  check(options.k > 0 && options.row_scores.elements() == rows && sentences >= 0,
        "top_k: the best {} with {} row scores do not fit logits {}", options.k,
        options.row_scores.elements(), shape);
  check(!options.ban_offsets || options.ban_offsets.elements() == rows + 1,
        "top_k: {} ban offsets do not fit logits {}", options.ban_offsets.elements(), shape);
  check(!options.only || options.only.elements() == rows, "top_k: {} tokens do not fit logits {}",
        options.only.elements(), shape);
  return {.logits = logits,
          .row_scores = options.row_scores.data<float>(),
          .groups = options.groups.data<std::int64_t>(),
          .sentences = sentences,
          .ban_offsets = options.ban_offsets ? options.ban_offsets.data<std::int64_t>() : nullptr,
          .bans = options.bans ? options.bans.data<std::int32_t>() : nullptr,
          .bans_first = options.bans_first,
          .only = options.only ? options.only.data<std::int32_t>() : nullptr,
          .normalised = options.normalised,
          .scores = result.scores.view(),
          .tokens = result.tokens.view(),
          .rows = result.rows.view(),
          .log_sums = result.log_sums.view()};
}

}  // namespace

TopK top_k(const Tensor& logits, const TopKOptions& options, Context& c) {
  TopK result = make_result(options, logits.rows(), c);
  c.kernels().top_k(make_args(logits.view(), options, result), c.exec());
  return result;
}

TopK logits_top_k(const MatmulArgs& product, const Tensor& logits, const TopKOptions& options,
                  Context& c) {
  const View view = logits.view();
  const View& written = product.c;
  check(written.data == view.data && written.rows == view.rows && written.cols >= view.cols &&
            (written.stride == view.stride || view.rows <= 1),
        "logits_top_k: a product of {} does not write logits {}", Shape{written.rows, written.cols},
        logits.shape());
  TopK result = make_result(options, logits.rows(), c);
  const TopKArgs best = make_args(view, options, result);
  const Kernels& kernels = c.kernels();
  if (kernels.logits_top_k.fused == Fused::yes) {
    kernels.logits_top_k({.product = product, .top_k = best}, c.exec());
  } else {
    kernels.matmul(product, c.exec());
    kernels.top_k(best, c.exec());
  }
  return result;
}

TopK projected_top_k(const Tensor& states, const Tensor& weight, const TopKOptions& options,
                     Context& c) {
  QuantisedWeights* bytes = weight.storage()->quantised;
  check(bytes != nullptr && !options.normalised && states.cols() == weight.cols(),
        "projected_top_k: states {} and a weight {} that is in bytes are needed", states.shape(),
        weight.shape());
  TopK result = make_result(options, states.rows(), c);
  const View logits{nullptr, states.rows(), weight.rows(), weight.rows(), DType::f32};
  c.kernels().int8_top_k({.x = states.view(),
                          .weights = bytes->get(weight),
                          .top_k = make_args(logits, options, result)},
                         c.exec());
  return result;
}

}  // namespace yona
