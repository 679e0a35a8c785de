// The JSON files of a Hugging Face folder, written and read.

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/foreign_config.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/model_kind.h"

namespace yona {

namespace {

constexpr int kFormatVersion = 1;  // of the "yona" key; raise it when old readers would go wrong

// The keys that Marian and Pegasus share.
void add_common_keys(const ModelDescription& d, Json& config) {
  config.update({{"vocab_size", d.config.source_vocabulary},
                 {"d_model", d.config.d_model},
                 {"encoder_layers", d.config.encoder_layers},
                 {"encoder_attention_heads", d.config.heads},
                 {"encoder_ffn_dim", d.config.d_ff},
                 {"encoder_layerdrop", 0.0},
                 {"decoder_layers", d.config.decoder_layers},
                 {"decoder_attention_heads", d.config.heads},
                 {"decoder_ffn_dim", d.config.d_ff},
                 {"decoder_layerdrop", 0.0},
                 {"num_hidden_layers", d.config.encoder_layers},
                 {"activation_function", enum_name(d.config.activation)},
                 {"dropout", d.config.dropout},
                 {"attention_dropout", d.config.attention_dropout},
                 {"activation_dropout", d.config.activation_dropout},
                 {"max_position_embeddings", d.config.max_positions},
                 {"static_position_embeddings", true},
                 {"scale_embedding", d.config.departures.scaled_embedding},
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
  const HfFamily& family =
      description.config.norm == NormPosition::pre ? pegasus_family() : marian_family();
  const std::string obstacle = family.obstacle(description);
  if (obstacle.empty()) {
    return {&family, ""};
  }
  const std::string settings = remedy(description);
  return {nullptr,
          fmt::format("{}: transformers and CTranslate2 will not load this model{}", obstacle,
                      settings.empty() ? "" : "; trained with " + settings + " they would")};
}

Json huggingface_config(const ModelDescription& description) {
  Json config = Json::object();
  if (const HfFamily* family = choose_family(description).family; family != nullptr) {
    config["architectures"] = {family->architecture};
    config["model_type"] = family->model_type;
    add_common_keys(description, config);
    config.update(family->config(description));
  } else {
    config["architectures"] =
        Json::array({description.config.arch == Arch::transformer
                         ? std::string("YonaTransformer")
                         : fmt::format("Yona-{}", enum_name(description.config.arch))});
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
                 {"model_max_length", description.config.max_positions},
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
  check_writes_text(config, where);
  if (config.contains("yona")) {
    return description_from_json(yona_key(config, where), where);
  }
  const ForeignConfig foreign(config, where);
  const std::string type = foreign.get<std::string>("model_type");
  const HfFamily* family = find_family(type);
  std::vector<std::string_view> types;
  for (const HfFamily* each : hf_families()) {
    types.push_back(each->model_type);
  }
  check<FormatError>(family != nullptr, "{}: model_type '{}' is not supported; {} are", where, type,
                     fmt::join(types, ", "));
  ModelDescription description;
  family->read(foreign, description);
  description.family = type;
  return description_from_json(to_json(description), where);  // the same checks as for our own
}

}  // namespace yona
