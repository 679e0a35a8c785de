#include "yona/models/attention_keys.h"

#include "yona/base/error.h"

namespace yona {

ConfigKeys<AttentionSizes> attention_size_keys() {
  using Sizes = AttentionSizes;
  constexpr OnResume kFixed = OnResume::fixed;
  return {
      integer(
          "window", &Sizes::window, {1, 1 << 24, "none"}, kFixed,
          "how many tokens a token sees, itself included, with the attention window, "
          "dilated or lambda; in a language model with scaled attention this is Mistral's window"),
      integer("dilation", &Sizes::dilation, {1, 1 << 20}, kFixed,
              "tokens from one seen token to the next, with the attention dilated"),
      integer("block", &Sizes::block, {1, 1 << 20}, kFixed,
              "tokens of a block, with the attention blocks or sparse"),
      integer("global_blocks", &Sizes::global_blocks, {0, 1 << 20}, kFixed,
              "blocks at the beginning that see all and are seen by all, with the attention "
              "sparse"),
      integer("random_blocks", &Sizes::random_blocks, {0, 1 << 10}, kFixed,
              "blocks drawn at random that each block sees, with the attention sparse"),
      integer("projected_keys", &Sizes::projected_keys, {1, 1 << 20}, kFixed,
              "rows that the keys and values of a text are projected to, with the attention "
              "linformer"),
      integer("features", &Sizes::features, {1, 1 << 16}, kFixed,
              "random features that queries and keys are compared by, with the attention "
              "performer"),
      integer("hashes", &Sizes::hashes, {1, 64}, kFixed,
              "rounds of hashing, with the attention reformer"),
      integer("buckets", &Sizes::buckets, {2, 256}, kFixed,
              "buckets that tokens are hashed to in each round, an even number, with the "
              "attention reformer"),
      integer("chunk", &Sizes::chunk, {1, 1 << 16}, kFixed,
              "tokens of a chunk of a bucket, with the attention reformer: a token sees its "
              "own chunk and the one before")};
}

void check_attention(AttentionKind kind, const AttentionSizes& sizes) {
  const bool has_window = kind == AttentionKind::window || kind == AttentionKind::dilated ||
                          kind == AttentionKind::lambda;
  check(!has_window || sizes.window > 0,
        "model.window: the attention {} needs a window; set it to the tokens that a token sees",
        enum_name(kind));
  check(has_window || sizes.window == 0,
        "model.window: the attention {} has no window; set model.attention to window",
        enum_name(kind));
  check(sizes.block > 0 && sizes.dilation > 0 && sizes.window >= 0 && sizes.global_blocks >= 0 &&
            sizes.random_blocks >= 0 && sizes.projected_keys > 0 && sizes.features > 0,
        "model.block: blocks of {} tokens, a dilation of {}", sizes.block, sizes.dilation);
  check(sizes.buckets % 2 == 0,
        "model.buckets: {} is odd; tokens are hashed to the sides of model.buckets / 2 axes",
        sizes.buckets);
}

void check_causal_attention(AttentionKind kind, const AttentionSizes& sizes) {
  check(kind != AttentionKind::linformer && kind != AttentionKind::lambda,
        "model.attention: {} has no causal form, which a decoder needs; use window, dilated, "
        "blocks, sparse or performer",
        enum_name(kind));
  check_attention(kind, sizes);
}

void check_attention_dropout(AttentionKind kind, double dropout) {
  const bool has_weights = kind != AttentionKind::performer && kind != AttentionKind::lambda;
  check(has_weights || dropout == 0.0,
        "model.attention_dropout: the attention {} has no weights to drop; set it to 0",
        enum_name(kind));
  check(kind != AttentionKind::reformer || dropout == 0.0,
        "model.attention_dropout: the attention reformer drops no weights; set it to 0");
}

}  // namespace yona
