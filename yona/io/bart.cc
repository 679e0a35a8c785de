// BartForConditionalGeneration and MBartForConditionalGeneration: learned positions, two of which
// are kept for nothing, and a norm after the embeddings. BART is post-norm, mBART pre-norm.

#include <array>

#include "yona/io/hf_family.h"

namespace yona {

namespace {

// Where matrices are tied, writers keep one of their names: transformers gives the others what
// model.shared has, or else the first of lm_head, the decoder's and the encoder's.
constexpr std::array<Renaming, 28> kBartNames = {
    {{"shared.weight", "model.shared.weight"},
     {"shared.weight", "model.encoder.embed_tokens.weight"},
     {"shared.weight", "model.decoder.embed_tokens.weight"},
     {"shared.weight", "lm_head.weight"},
     {"@.embedding.weight", "model.@.embed_tokens.weight"},
     {"@.embedding.weight", "model.shared.weight"},
     {"@.embedding.weight", "lm_head.weight"},
     {"encoder.embedding.weight", "model.decoder.embed_tokens.weight"},
     {"decoder.embedding.weight", "model.encoder.embed_tokens.weight"},
     {"projection.weight", "lm_head.weight"},
     {"projection.weight", "model.shared.weight"},
     {"projection.weight", "model.decoder.embed_tokens.weight"},
     {"projection.weight", "model.encoder.embed_tokens.weight"},
     {"projection.bias", "final_logits_bias"},
     {"@.norm.", "model.@.layer_norm."},
     {"@.layers.#.self_attention_norm.", "model.@.layers.#.self_attn_layer_norm."},
     {"@.layers.#.self_attention.query.", "model.@.layers.#.self_attn.q_proj."},
     {"@.layers.#.self_attention.key.", "model.@.layers.#.self_attn.k_proj."},
     {"@.layers.#.self_attention.value.", "model.@.layers.#.self_attn.v_proj."},
     {"@.layers.#.self_attention.output.", "model.@.layers.#.self_attn.out_proj."},
     {"@.layers.#.cross_attention_norm.", "model.@.layers.#.encoder_attn_layer_norm."},
     {"@.layers.#.cross_attention.query.", "model.@.layers.#.encoder_attn.q_proj."},
     {"@.layers.#.cross_attention.key.", "model.@.layers.#.encoder_attn.k_proj."},
     {"@.layers.#.cross_attention.value.", "model.@.layers.#.encoder_attn.v_proj."},
     {"@.layers.#.cross_attention.output.", "model.@.layers.#.encoder_attn.out_proj."},
     {"@.layers.#.feed_forward_norm.", "model.@.layers.#.final_layer_norm."},
     {"@.layers.#.feed_forward.inner.", "model.@.layers.#.fc1."},
     {"@.layers.#.feed_forward.outer.", "model.@.layers.#.fc2."}}};
constexpr std::array<Renaming, 2> kEmbeddingNames = {
    {{"@.positions.weight", "model.@.embed_positions.weight"},
     {"@.embedding_norm.", "model.@.layernorm_embedding."}}};

constexpr int kUnusedPositions = 2;  // fairseq numbers positions from the id of <pad> + 1

void read_embeddings(const ForeignConfig& config, ModelDescription& d) {
  read_bart_config(config, d);
  config.must_be("static_position_embeddings", false);
  config.must_be("normalize_embedding", true);
  d.config.positions = PositionKind::learned;
  d.config.departures.first_position = kUnusedPositions;
  d.config.departures.embedding_norm = true;
}

void read_bart(const ForeignConfig& config, ModelDescription& d) {
  read_embeddings(config, d);
  config.must_be("normalize_before", false);
  config.must_be("add_final_layer_norm", false);
  d.config.norm = NormPosition::post;
}

void read_mbart(const ForeignConfig& config, ModelDescription& d) {
  read_embeddings(config, d);
  config.must_be("normalize_before", true);
  config.must_be("add_final_layer_norm", true);
  d.config.norm = NormPosition::pre;
}

}  // namespace

std::span<const Renaming> bart_names() { return kBartNames; }

void read_bart_config(const ForeignConfig& config, ModelDescription& d) {
  TransformerConfig& model = d.config;
  Departures& departures = model.departures;
  model.d_model = config.size("d_model");
  model.encoder_layers = config.size("encoder_layers");
  model.decoder_layers = config.size("decoder_layers");
  model.heads = config.size("encoder_attention_heads");
  model.d_ff = config.size("encoder_ffn_dim");
  check<FormatError>(
      model.heads == config.size("decoder_attention_heads") &&
          model.d_ff == config.size("decoder_ffn_dim"),
      "{}: heads or feed-forward sizes (\"encoder_attention_heads\", \"encoder_ffn_dim\" …) differ "
      "between encoder and decoder",
      config.where());
  check<FormatError>(model.heads > 0 && model.d_model % model.heads == 0,
                     "{}: d_model {} is not a multiple of {} heads", config.where(), model.d_model,
                     model.heads);
  model.d_k = model.d_v = model.d_model / model.heads;
  model.activation = config.activation("activation_function");
  model.dropout = config.get<double>("dropout", 0.0);
  model.attention_dropout = config.get<double>("attention_dropout", 0.0);
  model.activation_dropout = config.get<double>("activation_dropout", 0.0);
  departures.scaled_embedding = config.get<bool>("scale_embedding", false);
  model.source_vocabulary = model.target_vocabulary = config.size("vocab_size");
  model.tying = config.get<bool>("tie_word_embeddings", true) ? Tying::all : Tying::none;
  model.max_positions = config.size("max_position_embeddings");
  d.eos_id = config.token("eos_token_id");
  d.pad_id = config.token("pad_token_id");
  departures.start_id = config.has("decoder_start_token_id")
                            ? config.token("decoder_start_token_id")
                            : config.token("bos_token_id");
  departures.padding = Padding::ordinary;
  departures.norm_epsilon = 1e-5;
  departures.projection_bias = true;  // the reader of the weights may find that there is none
}

const HfFamily& bart_family() {
  static constexpr HfFamily kFamily = {.model_type = "bart",
                                       .architecture = "BartForConditionalGeneration",
                                       .names = kBartNames,
                                       .more_names = kEmbeddingNames,
                                       .read = read_bart};
  return kFamily;
}

const HfFamily& mbart_family() {
  static constexpr HfFamily kFamily = {.model_type = "mbart",
                                       .architecture = "MBartForConditionalGeneration",
                                       .names = kBartNames,
                                       .more_names = kEmbeddingNames,
                                       .read = read_mbart};
  return kFamily;
}

}  // namespace yona
