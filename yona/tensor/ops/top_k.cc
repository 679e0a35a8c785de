#include "yona/tensor/ops/top_k.h"

namespace yona {

TopK top_k(const Tensor& logits, const TopKOptions& options, Context& c) {
  const std::int64_t rows = logits.rows();
  const std::int64_t sentences = options.groups.elements() - 1;
  check(options.k > 0 && options.row_scores.elements() == rows && sentences >= 0,
        "top_k: the best {} with {} row scores do not fit logits {}", options.k,
        options.row_scores.elements(), logits.shape());
  check(!options.ban_offsets || options.ban_offsets.elements() == rows + 1,
        "top_k: {} ban offsets do not fit logits {}", options.ban_offsets.elements(),
        logits.shape());
  check(!options.only || options.only.elements() == rows, "top_k: {} tokens do not fit logits {}",
        options.only.elements(), logits.shape());
  TopK result{c.empty(DType::f32, Shape{sentences, options.k}),
              c.empty(DType::i32, Shape{sentences, options.k}),
              c.empty(DType::i32, Shape{sentences, options.k}), c.empty(DType::f32, Shape{rows})};
  c.kernels().top_k(
      {.logits = logits.view(),
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
       .log_sums = result.log_sums.view()},
      c.exec());
  return result;
}

}  // namespace yona
