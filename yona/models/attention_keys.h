// The keys of a model's self-attention: model.attention and, for the sparse kinds, what it sees.
// All models have the same ones.
#pragma once

#include "yona/config/config_key.h"
#include "yona/nn/attention/mechanism.h"

namespace yona {

// model.window, model.dilation, model.block, model.global_blocks, model.random_blocks,
// model.projected_keys, model.features, model.hashes, model.buckets, model.chunk
ConfigKeys<AttentionSizes> attention_size_keys();

template <class Config>
ConfigKeys<Config> attention_keys(AttentionKind Config::*kind, AttentionSizes Config::*sizes) {
  ConfigKeys<Config> keys{
      choice("attention", kind, OnResume::fixed,
             "which keys a query sees and how scores are computed; the paper sees all and scales "
             "by 1/√d_k (scaled)")};
  append(keys, lift("", sizes, attention_size_keys()));
  return keys;
}

// model.reversible, Reformer's other half, which goes with any attention.
template <class Config>
ConfigKey<Config> reversible_key(bool Config::*reversible) {
  return flag("reversible", reversible, OnResume::fixed,
              "layers whose inputs are computed from their outputs in the backward pass, so that "
              "activations of one layer are kept (Reformer)");
}

// Throws InvalidArgument naming the key that a kind needs.
void check_attention(AttentionKind kind, const AttentionSizes& sizes);
// The same for models with a causal mask, which not all kinds have a form for.
void check_causal_attention(AttentionKind kind, const AttentionSizes& sizes);
// Throws where a kind forms no attention weights and there is a dropout of them.
void check_attention_dropout(AttentionKind kind, double dropout);

}  // namespace yona
