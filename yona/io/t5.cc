// T5ForConditionalGeneration (Raffel et al. 2020), version 1.1 with gated feed-forward layers
// (Shazeer 2020), FLAN-T5, and mT5: pre-norm by RMS, relative positions, neither biases nor a scale
// in the attention. Version 1.0 scales the decoder's states where others scale the embeddings.

#include <array>

#include "yona/io/hf_family.h"

namespace yona {

namespace {

constexpr std::array<Renaming, 33> kT5Names = {
    {{"shared.weight", "shared.weight"},
     {"shared.weight", "encoder.embed_tokens.weight"},
     {"shared.weight", "decoder.embed_tokens.weight"},
     {"shared.weight", "lm_head.weight"},
     {"@.embedding.weight", "@.embed_tokens.weight"},
     {"@.embedding.weight", "shared.weight"},
     {"encoder.embedding.weight", "decoder.embed_tokens.weight"},
     {"decoder.embedding.weight", "encoder.embed_tokens.weight"},
     {"@.embedding.weight", "lm_head.weight"},
     {"projection.weight", "lm_head.weight"},
     {"projection.weight", "shared.weight"},
     {"projection.weight", "encoder.embed_tokens.weight"},
     {"projection.weight", "decoder.embed_tokens.weight"},
     {"@.relative_positions.weight",
      "@.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
     {"@.norm.", "@.final_layer_norm."},
     {"@.layers.#.self_attention_norm.", "@.block.#.layer.0.layer_norm."},
     {"@.layers.#.self_attention.query.", "@.block.#.layer.0.SelfAttention.q."},
     {"@.layers.#.self_attention.key.", "@.block.#.layer.0.SelfAttention.k."},
     {"@.layers.#.self_attention.value.", "@.block.#.layer.0.SelfAttention.v."},
     {"@.layers.#.self_attention.output.", "@.block.#.layer.0.SelfAttention.o."},
     {"decoder.layers.#.cross_attention_norm.", "decoder.block.#.layer.1.layer_norm."},
     {"decoder.layers.#.cross_attention.query.", "decoder.block.#.layer.1.EncDecAttention.q."},
     {"decoder.layers.#.cross_attention.key.", "decoder.block.#.layer.1.EncDecAttention.k."},
     {"decoder.layers.#.cross_attention.value.", "decoder.block.#.layer.1.EncDecAttention.v."},
     {"decoder.layers.#.cross_attention.output.", "decoder.block.#.layer.1.EncDecAttention.o."},
     {"encoder.layers.#.feed_forward_norm.", "encoder.block.#.layer.1.layer_norm."},
     {"encoder.layers.#.feed_forward.inner.", "encoder.block.#.layer.1.DenseReluDense.wi."},
     {"encoder.layers.#.feed_forward.outer.", "encoder.block.#.layer.1.DenseReluDense.wo."},
     {"decoder.layers.#.feed_forward_norm.", "decoder.block.#.layer.2.layer_norm."},
     {"decoder.layers.#.feed_forward.inner.", "decoder.block.#.layer.2.DenseReluDense.wi."},
     {"decoder.layers.#.feed_forward.outer.", "decoder.block.#.layer.2.DenseReluDense.wo."},
     {"encoder.layers.#.feed_forward.inner.", "encoder.block.#.layer.1.DenseReluDense.wi_0."},
     {"decoder.layers.#.feed_forward.inner.", "decoder.block.#.layer.2.DenseReluDense.wi_0."}}};
constexpr std::array<Renaming, 2> kGateNames = {
    {{"encoder.layers.#.feed_forward.gate.", "encoder.block.#.layer.1.DenseReluDense.wi_1."},
     {"decoder.layers.#.feed_forward.gate.", "decoder.block.#.layer.2.DenseReluDense.wi_1."}}};

// "relu", "gated-gelu" (which means its formula with tanh), "gated-silu" …
void read_feed_forward(const ForeignConfig& config, ModelDescription& d) {
  std::string name = config.get<std::string>("feed_forward_proj", "relu");
  constexpr std::string_view kGated = "gated-";
  d.config.departures.gated = name.starts_with(kGated);
  if (name == "gated-gelu") {
    name = "gated-gelu_new";
  }
  const Json word = {
      {"feed_forward_proj", d.config.departures.gated ? name.substr(kGated.size()) : name}};
  d.config.activation = ForeignConfig(word, config.where()).activation("feed_forward_proj");
}

void read_t5(const ForeignConfig& config, ModelDescription& d) {
  TransformerConfig& model = d.config;
  Departures& departures = model.departures;
  model.d_model = config.size("d_model");
  model.encoder_layers = config.size("num_layers");
  model.decoder_layers = config.size("num_decoder_layers", config.size("num_layers"));
  model.heads = config.size("num_heads");
  model.d_k = model.d_v = config.size("d_kv");
  model.d_ff = config.size("d_ff");
  read_feed_forward(config, d);
  model.dropout = model.attention_dropout = model.activation_dropout =
      config.get<double>("dropout_rate", 0.0);
  model.source_vocabulary = model.target_vocabulary = config.size("vocab_size");
  model.max_positions = config.size("n_positions", 512);
  d.eos_id = config.token("eos_token_id");
  d.pad_id = config.token("pad_token_id");
  departures.start_id = config.token("decoder_start_token_id", static_cast<int>(d.pad_id));
  departures.padding = Padding::ordinary;
  model.attention = AttentionKind::unscaled;
  model.positions = PositionKind::relative;
  departures.relative_buckets = config.size("relative_attention_num_buckets", 32);
  departures.relative_reach = config.size("relative_attention_max_distance", 128);
  model.norm = NormPosition::pre;
  departures.norm_kind = NormKind::rms;
  departures.norm_epsilon = config.get<double>("layer_norm_epsilon", 1e-6);
  departures.biases = false;
  departures.scaled_embedding = false;
  // Newer writers say it in a key of its own, older ones by what version 1.1 does besides.
  departures.scaled_output =
      config.get<bool>("scale_decoder_outputs", config.get<bool>("tie_word_embeddings", true));
  model.tying =
      Tying::all;  // whatever config.json says; the weights may have matrices of their own
}

// mT5 is version 1.1: nothing is scaled.
void read_mt5(const ForeignConfig& config, ModelDescription& d) {
  read_t5(config, d);
  d.config.departures.scaled_output = false;
}

}  // namespace

const HfFamily& t5_family() {
  static constexpr HfFamily kFamily = {.model_type = "t5",
                                       .architecture = "T5ForConditionalGeneration",
                                       .names = kT5Names,
                                       .more_names = kGateNames,
                                       .read = read_t5,
                                       .has_final_bias = false,
                                       .learns_padding = true,
                                       .always_ties = true};
  return kFamily;
}

const HfFamily& mt5_family() {
  static constexpr HfFamily kFamily = {.model_type = "mt5",
                                       .architecture = "MT5ForConditionalGeneration",
                                       .names = kT5Names,
                                       .more_names = kGateNames,
                                       .read = read_mt5,
                                       .has_final_bias = false,
                                       .learns_padding = true,
                                       .always_ties = true};
  return kFamily;
}

}  // namespace yona
