// The JSON files of a Hugging Face folder, written and read.

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

constexpr int kFormatVersion = 1;  // of the "yona" key; raise it when old readers would go wrong

std::string yona_activation(const std::string& activation, std::string_view where) {
  if (activation == "swish" || activation == "silu") {
    return "silu";
  }
  check<FormatError>(activation == "relu" || activation == "gelu",
                     "{}: activation_function '{}' is not supported; relu, gelu and swish are",
                     where, activation);
  return activation;
}

// The keys that Marian and Pegasus share.
void add_common_keys(const ModelDescription& d, Json& config) {
  config.update({{"vocab_size", d.source_vocab},
                 {"d_model", d.d_model},
                 {"encoder_layers", d.encoder_layers},
                 {"encoder_attention_heads", d.heads},
                 {"encoder_ffn_dim", d.d_ff},
                 {"encoder_layerdrop", 0.0},
                 {"decoder_layers", d.decoder_layers},
                 {"decoder_attention_heads", d.heads},
                 {"decoder_ffn_dim", d.d_ff},
                 {"decoder_layerdrop", 0.0},
                 {"num_hidden_layers", d.encoder_layers},
                 {"activation_function", d.activation},
                 {"dropout", d.dropout},
                 {"attention_dropout", d.attention_dropout},
                 {"activation_dropout", d.activation_dropout},
                 {"max_position_embeddings", d.max_positions},
                 {"static_position_embeddings", true},
                 {"scale_embedding", d.scale_embedding},
                 {"normalize_embedding", false},
                 {"is_encoder_decoder", true},
                 {"use_cache", true},
                 {"eos_token_id", d.eos_id},
                 {"forced_eos_token_id", d.eos_id},
                 {"bos_token_id", nullptr},
                 {"pad_token_id", d.pad()},
                 {"decoder_start_token_id", d.decoder_start()},
                 {"torch_dtype", "float32"}});
}

// The keys of a foreign config, with FormatError for what is missing or of another type.
class ForeignConfig {
 public:
  ForeignConfig(const Json& json, std::string_view where) : json_(json), where_(where) {}

  template <class T>
  T get(const char* key) const {
    const auto found = json_.find(key);
    check<FormatError>(found != json_.end(), "{}: no \"{}\"", where_, key);
    try {
      return found->get<T>();
    } catch (const Json::exception&) {
      fail<FormatError>("{}: \"{}\" cannot be {}", where_, key, found->dump());
    }
  }

  template <class T>
  T get(const char* key, T otherwise) const {
    return json_.contains(key) ? get<T>(key) : otherwise;
  }

  // A size: whatever fits the model, no silent wrap-around of what does not fit an int.
  int size(const char* key) const {
    const Json value = get<Json>(key);
    check<FormatError>(
        value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() <= 1 << 30,
        "{}: \"{}\" cannot be {}", where_, key, value.dump());
    return value.get<int>();
  }

 private:
  const Json& json_;
  std::string_view where_;
};

ModelDescription read_foreign(const Json& json, const HfFamily& family, std::string_view where) {
  const ForeignConfig config(json, where);
  ModelDescription d;
  d.d_model = config.size("d_model");
  d.encoder_layers = config.size("encoder_layers");
  d.decoder_layers = config.size("decoder_layers");
  d.heads = config.size("encoder_attention_heads");
  d.d_ff = config.size("encoder_ffn_dim");
  check<FormatError>(
      d.heads == config.size("decoder_attention_heads") && d.d_ff == config.size("decoder_ffn_dim"),
      "{}: heads or feed-forward sizes differ between encoder and decoder", where);
  check<FormatError>(d.heads > 0 && d.d_model % d.heads == 0,
                     "{}: d_model {} is not a multiple of {} heads", where, d.d_model, d.heads);
  d.d_k = d.d_v = d.d_model / d.heads;
  d.activation = yona_activation(config.get<std::string>("activation_function"), where);
  d.dropout = config.get<double>("dropout", 0.0);
  d.attention_dropout = config.get<double>("attention_dropout", 0.0);
  d.activation_dropout = config.get<double>("activation_dropout", 0.0);
  d.scale_embedding = config.get<bool>("scale_embedding");
  d.source_vocab = config.size("vocab_size");
  d.target_vocab =
      config.size(json.contains("decoder_vocab_size") ? "decoder_vocab_size" : "vocab_size");
  d.shared_vocabulary = config.get<bool>("share_encoder_decoder_embeddings", true);
  d.tying = !config.get<bool>("tie_word_embeddings", true) ? "none"
            : d.shared_vocabulary                          ? "all"
                                                           : "target";
  d.max_positions = config.size("max_position_embeddings");
  d.eos_id = config.size("eos_token_id");
  d.pad_id = config.size("pad_token_id");
  d.decoder_start_id = config.size("decoder_start_token_id");
  d.norm = family.norm;
  d.projection_bias = true;  // the reader of the weights may find that it only bars <pad>
  return description_from_json(to_json(d), where);  // the same checks as for our own
}

const Json& yona_key(const Json& config, std::string_view where) {
  const Json& own = config["yona"];
  const auto version = own.is_object() ? own.find("version") : own.end();
  check<FormatError>(version != own.end() && version->is_number_integer() && own.contains("model"),
                     "{}: the key \"yona\" holds no version and model", where);
  check<FormatError>(version->get<std::int64_t>() <= kFormatVersion,
                     "{}: written by a newer yona (format {}, this one knows {}): update yona",
                     where, version->get<std::int64_t>(), kFormatVersion);
  return own["model"];
}

}  // namespace

FamilyChoice choose_family(const ModelDescription& description) {
  const HfFamily& family = description.norm == "pre" ? pegasus_family() : marian_family();
  const std::string obstacle = family.obstacle(description);
  if (obstacle.empty()) {
    return {&family, ""};
  }
  return {nullptr,
          fmt::format("{}: transformers and CTranslate2 will not load this model", obstacle)};
}

Json huggingface_config(const ModelDescription& description) {
  Json config = Json::object();
  if (const HfFamily* family = choose_family(description).family; family != nullptr) {
    config["architectures"] = {family->architecture};
    config["model_type"] = family->model_type;
    add_common_keys(description, config);
    config.update(family->config(description));
  } else {
    config["architectures"] = {"YonaTransformer"};
    config["model_type"] = "yona";
  }
  config["yona"] = {{"version", kFormatVersion}, {"model", to_json(description)}};
  return config;
}

Json generation_config(const ModelDescription& description, const GenerationDefaults& defaults) {
  return {{"decoder_start_token_id", description.decoder_start()},
          {"eos_token_id", description.eos_id},
          {"forced_eos_token_id", description.eos_id},
          {"pad_token_id", description.pad()},
          {"max_length", defaults.max_length},
          {"num_beams", defaults.beams},
          {"length_penalty", defaults.length_penalty}};
}

// Pegasus' own tokeniser class is unigram-only: pre-norm models are read through tokenizer.json.
Json tokenizer_config(const ModelDescription& description) {
  const bool marian = choose_family(description).family == &marian_family();
  Json config = {{"tokenizer_class", marian ? "MarianTokenizer" : "PreTrainedTokenizerFast"},
                 {"source_lang", description.source_language},
                 {"target_lang", description.target_language},
                 {"model_max_length", description.max_positions},
                 {"clean_up_tokenization_spaces", false}};
  if (marian) {
    config["separate_vocabs"] = false;
    config["sp_model_kwargs"] = Json::object();
  }
  config.update(special_tokens_map());
  return config;
}

Json special_tokens_map() {
  return {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}};
}

void write_model_configs(const std::filesystem::path& folder, const ModelDescription& description,
                         const GenerationDefaults& defaults) {
  const auto write = [&](const char* name, const Json& json) {
    replace_file(folder / name, [&](const auto& temporary) { write_json(temporary, json); });
  };
  write("config.json", huggingface_config(description));
  write("generation_config.json", generation_config(description, defaults));
  write("tokenizer_config.json", tokenizer_config(description));
  write("special_tokens_map.json", special_tokens_map());
}

ModelDescription read_description(const Json& config, std::string_view where) {
  check<FormatError>(config.is_object(), "{}: not a JSON object", where);
  if (config.contains("yona")) {
    return description_from_json(yona_key(config, where), where);
  }
  const std::string type = ForeignConfig(config, where).get<std::string>("model_type");
  for (const HfFamily* family : {&marian_family(), &pegasus_family()}) {
    if (type == family->model_type) {
      return read_foreign(config, *family, where);
    }
  }
  fail<FormatError>("{}: model_type '{}' is not supported; marian and pegasus are", where, type);
}

}  // namespace yona
