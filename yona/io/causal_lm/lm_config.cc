#include "yona/io/causal_lm/lm_config.h"

#include <algorithm>
#include <array>

#include "yona/base/error.h"
#include "yona/io/foreign_config.h"

namespace yona {

namespace {

constexpr int kFormatVersion = 1;
constexpr std::array<const char*, 6> kArchitectures{"GPT2LMHeadModel",    "LlamaForCausalLM",
                                                    "MistralForCausalLM", "Qwen2ForCausalLM",
                                                    "Qwen3ForCausalLM",   "YonaCausalLm"};

std::int64_t first_token(const ForeignConfig& config, const char* key) {
  const Json value = config.has(key) ? config.get<Json>(key) : Json();
  const Json id = value.is_array() && !value.empty() ? value[0] : value;
  return id.is_number_integer() ? std::max<std::int64_t>(id.get<std::int64_t>(), -1) : -1;
}

FeedForwardActivation activation_of(const ForeignConfig& config, const char* key,
                                    FeedForwardActivation otherwise) {
  return config.has(key) ? config.activation(key) : otherwise;
}

// As transformers calls it.
std::string_view activation_name(FeedForwardActivation activation) {
  return activation == FeedForwardActivation::gelu_tanh ? "gelu_new" : enum_name(activation);
}

// Radford et al. 2019: GPT2Config.
CausalLmConfig read_gpt2(const ForeignConfig& from) {
  for (const char* key : {"scale_attn_weights"}) {
    from.must_be(key, true);
  }
  for (const char* key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"}) {
    from.must_be(key, false);
  }
  CausalLmConfig config;
  config.vocabulary = from.size("vocab_size");
  config.max_positions = from.size("n_positions", 1024);
  config.d_model = from.size("n_embd");
  config.layers = from.size("n_layer");
  config.heads = from.size("n_head");
  config.d_ff = from.size("n_inner", static_cast<int>(4 * config.d_model));
  config.activation = activation_of(from, "activation_function", FeedForwardActivation::gelu_tanh);
  config.dropout = from.get<double>("resid_pdrop", 0.1);
  config.attention_dropout = from.get<double>("attn_pdrop", 0.1);
  config.norm_epsilon = from.get<double>("layer_norm_epsilon", 1e-5);
  config.tied = from.get<bool>("tie_word_embeddings", true);
  config.start_id = first_token(from, "bos_token_id");
  return config;
}

// "rope_theta" and "rope_scaling", or both in "rope_parameters" (transformers 5).
void read_rotary(const ForeignConfig& from, CausalLmConfig& config) {
  const bool is_new = from.has("rope_parameters");
  const Json scaling = is_new                     ? from.get<Json>("rope_parameters")
                       : from.has("rope_scaling") ? from.get<Json>("rope_scaling")
                                                  : Json::object();
  const ForeignConfig rope(scaling, from.where());
  config.rotary_base =
      is_new ? rope.get<double>("rope_theta", 10000.0) : from.get<double>("rope_theta", 10000.0);
  const std::string type =
      rope.get<std::string>("rope_type", rope.get<std::string>("type", std::string("default")));
  if (type == "linear") {
    config.rotary_scaling = RotaryScaling::linear;
    config.rotary_factor = rope.get<double>("factor");
  } else if (type == "llama3") {
    config.rotary_scaling = RotaryScaling::llama3;
    config.rotary_factor = rope.get<double>("factor");
    config.rotary_low = rope.get<double>("low_freq_factor");
    config.rotary_high = rope.get<double>("high_freq_factor");
    config.rotary_original = rope.get<double>("original_max_position_embeddings");
  } else {
    // dynamic changes nothing up to max_position_embeddings, beyond which yona does not go.
    check<FormatError>(type == "default" || type == "dynamic",
                       "{}: the rotary scaling '{}' is not supported; default, linear, dynamic and "
                       "llama3 are",
                       from.where(), type);
  }
}

// Qwen: the layers from max_window_layers on have the window, if at all.
std::int64_t qwen_window(const ForeignConfig& from, std::int64_t layers) {
  if (!from.get<bool>("use_sliding_window", false) || !from.has("sliding_window")) {
    return 0;
  }
  const int full = from.size("max_window_layers", static_cast<int>(layers));
  check<FormatError>(full == 0 || full >= layers,
                     "{}: \"max_window_layers\" {} gives layers different windows, which is not "
                     "supported",
                     from.where(), full);
  return full == 0 ? from.size("sliding_window") : 0;
}

void check_layer_types(const ForeignConfig& from) {
  if (from.has("layer_types")) {
    const Json types = from.get<Json>("layer_types");
    for (const Json& type : types) {
      check<FormatError>(type == types[0],
                         "{}: \"layer_types\" gives layers different windows, which is not "
                         "supported",
                         from.where());
    }
  }
}

// Touvron et al. 2023 (LlamaConfig), and what the others have besides.
CausalLmConfig read_llama(const ForeignConfig& from, LmFamily family) {
  CausalLmConfig config;
  config.vocabulary = from.size("vocab_size");
  config.d_model = from.size("hidden_size");
  config.d_ff = from.size("intermediate_size");
  config.layers = from.size("num_hidden_layers");
  config.heads = from.size("num_attention_heads");
  config.kv_heads = from.size("num_key_value_heads",
                              static_cast<int>(family == LmFamily::mistral ? 8 : config.heads));
  config.head_size = from.size("head_dim", family == LmFamily::qwen3 ? 128 : 0);
  config.max_positions = from.size("max_position_embeddings", 2048);
  config.dropout = 0.0;
  config.attention_dropout = from.get<double>("attention_dropout", 0.0);
  config.activation = activation_of(from, "hidden_act", FeedForwardActivation::silu);
  config.gated = true;
  config.norm = NormKind::rms;
  config.norm_epsilon = from.get<double>("rms_norm_eps", 1e-6);
  config.positions = LmPositions::rotary;
  config.tied = from.get<bool>("tie_word_embeddings", false);
  config.start_id = first_token(from, "bos_token_id");
  read_rotary(from, config);
  const bool biases = family != LmFamily::qwen2 && from.get<bool>("attention_bias", false);
  config.qkv_biases = biases || family == LmFamily::qwen2;
  config.output_biases = biases;
  config.ff_biases = from.get<bool>("mlp_bias", false);
  config.qk_norm = family == LmFamily::qwen3;
  if (family == LmFamily::mistral) {
    config.attention_sizes.window = from.has("sliding_window") ? from.size("sliding_window") : 0;
  } else if (family != LmFamily::llama) {
    check_layer_types(from);
    config.attention_sizes.window = qwen_window(from, config.layers);
  }
  return config;
}

// --- yona's own part
// ------------------------------------------------------------------------------

Json own_part(const CausalLmConfig& config) {
  Json model = Json::object();
  for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
    model[field.name] = field.get(config).text;
  }
  return {{"version", kFormatVersion}, {"task", "language-model"}, {"model", model}};
}

CausalLmConfig read_own(const Json& own, std::string_view where) {
  const bool is_whole = own.is_object() && own.contains("model") && own["model"].is_object() &&
                        own.value("version", Json()).is_number_integer();
  check<FormatError>(is_whole, "{}: the key \"yona\" holds no version and model", where);
  check<FormatError>(own["version"].get<std::int64_t>() <= kFormatVersion,
                     "{}: written by a newer yona (format {}, this one knows {}): update yona",
                     where, own["version"].get<std::int64_t>(), kFormatVersion);
  CausalLmConfig config;
  for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
    const Json value = own["model"].value(field.name, Json());
    if (!value.is_null()) {
      check<FormatError>(value.is_string(), "{}: \"{}\" cannot be {}", where, field.name,
                         value.dump());
      field.set(config, ConfigNode::scalar(value.get<std::string>()), {field.name, "", ""});
    }
  }
  return config;
}

// The limits of yona's fields hold for others' files too.
void check_fields(const CausalLmConfig& config) {
  for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
    CausalLmConfig copy;
    field.set(copy, field.get(config), {field.name, "", ""});
  }
}

// --- written
// ---------------------------------------------------------------------------------------

Json gpt2_keys(const CausalLmConfig& config) {
  return {{"n_positions", config.max_positions},
          {"n_ctx", config.max_positions},
          {"n_embd", config.d_model},
          {"n_layer", config.layers},
          {"n_head", config.heads},
          {"n_inner", config.d_ff},
          {"activation_function", activation_name(config.activation)},
          {"resid_pdrop", config.dropout},
          {"embd_pdrop", config.dropout},
          {"attn_pdrop", config.attention_dropout},
          {"layer_norm_epsilon", config.norm_epsilon}};
}

// Older readers look for rope_theta and rope_scaling, newer ones for rope_parameters.
void add_rotary(const CausalLmConfig& config, Json& keys) {
  Json scaling = nullptr;
  if (config.rotary_scaling == RotaryScaling::linear) {
    scaling = {{"rope_type", "linear"}, {"factor", config.rotary_factor}};
  } else if (config.rotary_scaling == RotaryScaling::llama3) {
    scaling = {
        {"rope_type", "llama3"},
        {"factor", config.rotary_factor},
        {"low_freq_factor", config.rotary_low},
        {"high_freq_factor", config.rotary_high},
        {"original_max_position_embeddings", static_cast<std::int64_t>(config.rotary_original)}};
  }
  keys["rope_theta"] = config.rotary_base;
  keys["rope_scaling"] = scaling;
  Json parameters = scaling.is_null() ? Json{{"rope_type", "default"}} : scaling;
  parameters["rope_theta"] = config.rotary_base;
  keys["rope_parameters"] = parameters;
}

Json llama_keys(const CausalLmConfig& config, LmFamily family) {
  const HeadShape heads = config.head_shape();
  Json keys{{"hidden_size", config.d_model},
            {"intermediate_size", config.d_ff},
            {"num_hidden_layers", config.layers},
            {"num_attention_heads", config.heads},
            {"num_key_value_heads", heads.kv_heads > 0 ? heads.kv_heads : heads.heads},
            {"head_dim", heads.d_k},
            {"hidden_act", activation_name(config.activation)},
            {"max_position_embeddings", config.max_positions},
            {"rms_norm_eps", config.norm_epsilon},
            {"attention_dropout", config.attention_dropout},
            {"attention_bias", config.qkv_biases && config.output_biases}};
  add_rotary(config, keys);
  if (family == LmFamily::llama) {
    keys["mlp_bias"] = config.ff_biases;
  } else if (family == LmFamily::mistral) {
    keys["sliding_window"] =
        config.attention_sizes.window > 0 ? Json(config.attention_sizes.window) : Json();
  } else {
    keys["use_sliding_window"] = false;
  }
  return keys;
}

Json token_or_null(std::int64_t id) { return id >= 0 ? Json(id) : Json(); }

}  // namespace

LmFamily lm_family(const CausalLmConfig& config) {
  if (config.attention != AttentionKind::scaled || config.reversible) {
    return LmFamily::yona;
  }
  const HeadShape heads = config.head_shape();
  const bool has_own_heads = heads.heads * heads.d_k != config.d_model ||
                             (heads.kv_heads > 0 && heads.kv_heads != heads.heads);
  if (config.positions == LmPositions::learned) {
    const bool has_biases = config.qkv_biases && config.output_biases && config.ff_biases;
    const bool is_plain = config.norm == NormKind::layer && !config.gated && has_biases &&
                          !has_own_heads && config.attention_sizes.window == 0 && !config.qk_norm;
    return is_plain ? LmFamily::gpt2 : LmFamily::yona;
  }
  if (config.norm != NormKind::rms || !config.gated) {
    return LmFamily::yona;
  }
  const bool has_window = config.attention_sizes.window > 0;
  const bool same_biases = config.qkv_biases == config.output_biases;
  if (config.qk_norm) {
    return same_biases && !config.ff_biases && !has_window ? LmFamily::qwen3 : LmFamily::yona;
  }
  if (has_window) {
    return !config.qkv_biases && !config.output_biases && !config.ff_biases ? LmFamily::mistral
                                                                            : LmFamily::yona;
  }
  if (same_biases) {
    return LmFamily::llama;
  }
  return config.qkv_biases && !config.ff_biases ? LmFamily::qwen2 : LmFamily::yona;
}

LmDescription read_lm_config(const Json& json, std::string_view where) {
  check<FormatError>(json.is_object(), "{}: not a JSON object", where);
  const ForeignConfig from(json, where);
  const std::string type = from.get<std::string>("model_type");
  const std::optional<LmFamily> family = enum_value<LmFamily>(type);
  check<FormatError>(family.has_value(),
                     "{}: model_type '{}' is not a language model that is supported; gpt2, llama, "
                     "mistral, qwen2 and qwen3 are",
                     where, type);
  LmDescription description;
  description.family = *family;
  try {
    description.config = json.contains("yona") ? read_own(json["yona"], where)
                         : description.family == LmFamily::gpt2
                             ? read_gpt2(from)
                             : read_llama(from, description.family);
    check_fields(description.config);
    check_config(description.config);
  } catch (const InvalidArgument& error) {
    fail<FormatError>("{}: {}", where, error.what());
  }
  return description;
}

Json lm_config(const CausalLmConfig& config, const LmTokens& tokens) {
  const LmFamily family = lm_family(config);
  Json json = Json::object();
  json["architectures"] = {kArchitectures.at(static_cast<std::size_t>(family))};
  json["model_type"] = model_type(family);
  json["vocab_size"] = config.vocabulary;
  if (family != LmFamily::yona) {
    json.update(family == LmFamily::gpt2 ? gpt2_keys(config) : llama_keys(config, family));
  }
  json["tie_word_embeddings"] = config.tied;
  json["bos_token_id"] = token_or_null(config.start_id >= 0 ? config.start_id : tokens.begin);
  json["eos_token_id"] = token_or_null(tokens.end);
  json["pad_token_id"] = token_or_null(tokens.pad);
  json["use_cache"] = true;
  json["torch_dtype"] = "float32";
  json["yona"] = own_part(config);
  return json;
}

Json trained_lm_config(const Json& original, const CausalLmConfig& config) {
  Json json = original;
  json["torch_dtype"] = "float32";
  if (json.contains("dtype")) {
    json["dtype"] = "float32";
  }
  json["yona"] = own_part(config);
  return json;
}

}  // namespace yona
