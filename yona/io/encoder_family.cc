#include "yona/io/encoder_family.h"

#include <array>

#include <fmt/format.h>

namespace yona {

namespace {

constexpr std::array kBertNames{
    Renaming{"embedding.tokens.", "embeddings.word_embeddings."},
    Renaming{"embedding.positions.", "embeddings.position_embeddings."},
    Renaming{"embedding.types.", "embeddings.token_type_embeddings."},
    Renaming{"embedding.norm.", "embeddings.LayerNorm."},
    Renaming{"layers.#.self_attention.query.", "encoder.layer.#.attention.self.query."},
    Renaming{"layers.#.self_attention.key.", "encoder.layer.#.attention.self.key."},
    Renaming{"layers.#.self_attention.value.", "encoder.layer.#.attention.self.value."},
    Renaming{"layers.#.self_attention.output.", "encoder.layer.#.attention.output.dense."},
    Renaming{"layers.#.self_attention_norm.", "encoder.layer.#.attention.output.LayerNorm."},
    Renaming{"layers.#.feed_forward.inner.", "encoder.layer.#.intermediate.dense."},
    Renaming{"layers.#.feed_forward.outer.", "encoder.layer.#.output.dense."},
    Renaming{"layers.#.feed_forward_norm.", "encoder.layer.#.output.LayerNorm."},
    Renaming{"pooler.", "pooler.dense."}};
constexpr std::array kBertHeads{Renaming{"classifier.", "classifier."},
                                Renaming{"masked_lm.dense.", "cls.predictions.transform.dense."},
                                Renaming{"masked_lm.norm.", "cls.predictions.transform.LayerNorm."},
                                Renaming{"masked_lm.bias", "cls.predictions.bias"},
                                Renaming{"masked_lm.bias", "cls.predictions.decoder.bias"}};
// RoBERTa's classification head has the pooler's layer as its own.
constexpr std::array kRobertaHeads{Renaming{"pooler.", "classifier.dense."},
                                   Renaming{"classifier.", "classifier.out_proj."},
                                   Renaming{"masked_lm.dense.", "lm_head.dense."},
                                   Renaming{"masked_lm.norm.", "lm_head.layer_norm."},
                                   Renaming{"masked_lm.bias", "lm_head.bias"},
                                   Renaming{"masked_lm.bias", "lm_head.decoder.bias"}};

constexpr std::array kDistilNames{
    Renaming{"embedding.tokens.", "embeddings.word_embeddings."},
    Renaming{"embedding.positions.", "embeddings.position_embeddings."},
    Renaming{"embedding.norm.", "embeddings.LayerNorm."},
    Renaming{"layers.#.self_attention.query.", "transformer.layer.#.attention.q_lin."},
    Renaming{"layers.#.self_attention.key.", "transformer.layer.#.attention.k_lin."},
    Renaming{"layers.#.self_attention.value.", "transformer.layer.#.attention.v_lin."},
    Renaming{"layers.#.self_attention.output.", "transformer.layer.#.attention.out_lin."},
    Renaming{"layers.#.self_attention_norm.", "transformer.layer.#.sa_layer_norm."},
    Renaming{"layers.#.feed_forward.inner.", "transformer.layer.#.ffn.lin1."},
    Renaming{"layers.#.feed_forward.outer.", "transformer.layer.#.ffn.lin2."},
    Renaming{"layers.#.feed_forward_norm.", "transformer.layer.#.output_layer_norm."}};
constexpr std::array kDistilHeads{Renaming{"pooler.", "pre_classifier."},
                                  Renaming{"classifier.", "classifier."},
                                  Renaming{"masked_lm.dense.", "vocab_transform."},
                                  Renaming{"masked_lm.norm.", "vocab_layer_norm."},
                                  Renaming{"masked_lm.bias", "vocab_projector.bias"}};

BertConfig read_bert(const ForeignConfig& config) {
  config.must_be("position_embedding_type", "absolute");
  config.must_be("is_decoder", false);
  config.must_be("add_cross_attention", false);
  config.must_be("tie_word_embeddings", true);
  BertConfig bert;
  bert.vocabulary = config.size("vocab_size");
  read_encoder_layers(config, 0.1, bert);
  bert.classifier_dropout =
      config.has("classifier_dropout") ? config.get<double>("classifier_dropout") : bert.dropout;
  bert.max_positions = config.size("max_position_embeddings", 512);
  bert.token_types = config.size("type_vocab_size", 2);
  return bert;
}

// Positions are numbered after the padding's id.
BertConfig read_roberta(const ForeignConfig& config) {
  BertConfig bert = read_bert(config);
  bert.first_position = config.token("pad_token_id", 1) + 1;
  bert.max_positions -= bert.first_position;
  return bert;
}

BertConfig read_distilbert(const ForeignConfig& config) {
  config.must_be("sinusoidal_pos_embds", false);
  config.must_be("tie_word_embeddings", true);
  BertConfig bert;
  bert.vocabulary = config.size("vocab_size");
  bert.layers = config.size("n_layers", 6);
  bert.d_model = config.size("dim", 768);
  bert.d_ff = config.size("hidden_dim", 3072);
  bert.heads = config.size("n_heads", 12);
  bert.activation =
      config.has("activation") ? encoder_activation(config, "activation") : bert.activation;
  bert.dropout = config.get<double>("dropout", 0.1);
  bert.attention_dropout = config.get<double>("attention_dropout", 0.1);
  bert.classifier_dropout = config.get<double>("seq_classif_dropout", 0.2);
  bert.max_positions = config.size("max_position_embeddings", 512);
  bert.token_types = 0;
  return bert;
}

Json write_bert(const BertConfig& config) {
  return {{"vocab_size", config.vocabulary},
          {"hidden_size", config.d_model},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"intermediate_size", config.d_ff},
          {"hidden_act", encoder_activation_name(config.activation)},
          {"hidden_dropout_prob", config.dropout},
          {"attention_probs_dropout_prob", config.attention_dropout},
          {"classifier_dropout", config.classifier_dropout},
          {"max_position_embeddings", config.max_positions + config.first_position},
          {"type_vocab_size", config.token_types},
          {"layer_norm_eps", config.norm_epsilon},
          {"pad_token_id", config.first_position > 0 ? config.first_position - 1 : 0},
          {"tie_word_embeddings", true}};
}

Json write_distilbert(const BertConfig& config) {
  return {{"vocab_size", config.vocabulary},
          {"dim", config.d_model},
          {"n_layers", config.layers},
          {"n_heads", config.heads},
          {"hidden_dim", config.d_ff},
          {"activation", encoder_activation_name(config.activation)},
          {"dropout", config.dropout},
          {"attention_dropout", config.attention_dropout},
          {"seq_classif_dropout", config.classifier_dropout},
          {"max_position_embeddings", config.max_positions},
          {"pad_token_id", 0},
          {"sinusoidal_pos_embds", false},
          {"tie_word_embeddings", true}};
}

// Norms of the first BERT checkpoints: gamma and beta.
void append_old_norms(std::vector<std::string>& names) {
  const std::vector<std::string> known = names;
  for (const std::string& name : known) {
    for (const auto& [now, then] : {std::pair{"LayerNorm.weight", "LayerNorm.gamma"},
                                    std::pair{"LayerNorm.bias", "LayerNorm.beta"}}) {
      if (name.ends_with(now)) {
        names.push_back(name.substr(0, name.size() - std::string_view(now).size()) + then);
      }
    }
  }
}

}  // namespace

FeedForwardActivation encoder_activation(const ForeignConfig& config, const char* key) {
  return config.activation(key);
}

std::string encoder_activation_name(FeedForwardActivation activation) {
  return activation == FeedForwardActivation::gelu_tanh ? "gelu_pytorch_tanh"
                                                        : std::string(enum_name(activation));
}

const EncoderFamily& bert_encoder() {
  static const EncoderFamily kFamily{.model_type = "bert",
                                     .class_name = "Bert",
                                     .prefix = "bert.",
                                     .encoder = kBertNames,
                                     .heads = kBertHeads,
                                     .pooler = Pooler::tanh,
                                     .read = read_bert,
                                     .write = write_bert};
  return kFamily;
}

const EncoderFamily& roberta_encoder() {
  static const EncoderFamily kFamily{.model_type = "roberta",
                                     .class_name = "Roberta",
                                     .prefix = "roberta.",
                                     .encoder = kBertNames,
                                     .heads = kRobertaHeads,
                                     .pooler = Pooler::tanh,
                                     .read = read_roberta,
                                     .write = write_bert};
  return kFamily;
}

const EncoderFamily& distilbert_encoder() {
  static const EncoderFamily kFamily{.model_type = "distilbert",
                                     .class_name = "DistilBert",
                                     .prefix = "distilbert.",
                                     .encoder = kDistilNames,
                                     .heads = kDistilHeads,
                                     .pooler = Pooler::relu,
                                     .read = read_distilbert,
                                     .write = write_distilbert};
  return kFamily;
}

std::span<const EncoderFamily* const> encoder_families() {
  static const std::array<const EncoderFamily*, 3> kFamilies = {&bert_encoder(), &roberta_encoder(),
                                                                &distilbert_encoder()};
  return kFamilies;
}

const EncoderFamily* find_encoder_family(std::string_view model_type) {
  for (const EncoderFamily* family : encoder_families()) {
    if (family->model_type == model_type) {
      return family;
    }
  }
  return nullptr;
}

std::vector<std::string> encoder_names(const std::string& parameter, const EncoderFamily& family,
                                       bool has_classifier) {
  std::vector<std::string> names;
  // The pooler of RoBERTa and DistilBERT is part of the classification head.
  const bool is_head = parameter.starts_with("classifier.") ||
                       parameter.starts_with("masked_lm.") ||
                       (parameter.starts_with("pooler.") && has_classifier);
  for (const Renaming& rule : is_head ? family.heads : std::span<const Renaming>()) {
    if (const auto name = renamed(parameter, rule)) {
      names.push_back(*name);
    }
  }
  if (!names.empty()) {
    append_old_norms(names);
    return names;
  }
  for (const Renaming& rule : family.encoder) {
    if (const auto name = renamed(parameter, rule)) {
      names.push_back(std::string(family.prefix) + *name);
      names.push_back(*name);
    }
  }
  append_old_norms(names);
  return names;
}

std::string encoder_obstacle(const BertConfig& config, const EncoderFamily& family) {
  if (config.norm != NormPosition::post) {
    return "its norms come before the sub-layers";
  }
  if (config.attention != AttentionKind::scaled) {
    return fmt::format("its attention is {}", enum_name(config.attention));
  }
  const bool classifies = config.labels > 0;
  if (classifies && config.text_vector != TextVector::first) {
    return "it classifies the mean of the states";
  }
  if (classifies && config.pooler != family.pooler) {
    return "the layer in front of its classifier is another one";
  }
  if ((config.token_types == 0) != (&family == &distilbert_encoder())) {
    return "it has other segments";
  }
  return "";
}

}  // namespace yona
