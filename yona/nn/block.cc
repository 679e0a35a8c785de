#include "yona/nn/block.h"

namespace yona {

SelfAttentionBlock::SelfAttentionBlock(const BlockOptions& options)
    : attention_(options.d_model, options.heads, options.attention, options.attention_biases),
      norm_(options.d_model, options.norm) {
  add("self_attention", attention_);
  add("self_attention_norm", norm_);
}

Residual SelfAttentionBlock::operator()(Residual x, const Sight& sight, Context& c) const {
  const ResidualBranch b = norm_.branch(std::move(x), c);   // [T, d_model]
  return norm_.merge(b, attention_(b.input, sight, c), c);  // [T, d_model]
}

CrossAttentionBlock::CrossAttentionBlock(const BlockOptions& options)
    : attention_(options.d_model, options.heads, options.attention.across(),
                 options.attention_biases),
      norm_(options.d_model, options.norm) {
  add("cross_attention", attention_);
  add("cross_attention_norm", norm_);
}

Residual CrossAttentionBlock::operator()(Residual x, const Ragged& memory, Context& c) const {
  const ResidualBranch b = norm_.branch(std::move(x), c);    // [T, d_model]
  return norm_.merge(b, attention_(b.input, memory, c), c);  // [T, d_model]
}

FeedForwardBlock::FeedForwardBlock(const BlockOptions& options)
    : feed_forward_(options.d_model, options.feed_forward, options.activation_dropout),
      norm_(options.d_model, options.norm) {
  add("feed_forward", feed_forward_);
  add("feed_forward_norm", norm_);
}

Residual FeedForwardBlock::operator()(Residual x, Context& c) const {
  const ResidualBranch b = norm_.branch(std::move(x), c);  // [T, d_model]
  return norm_.merge(b, feed_forward_(b.input, c), c);     // [T, d_model]
}

}  // namespace yona
