#include "yona/encode/sentence_settings.h"

#include "yona/base/error.h"
#include "yona/io/added_tokens.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// What `read` gives; values of a kind that it does not expect are an error of the file.
template <class Read>
auto read_of(const fs::path& path, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: is not as sentence-transformers writes it: {}", path.string(),
                      error.what());
  }
}

// "Pooling" of "sentence_transformers.models.Pooling"
std::string class_of(const Json& module) {
  const std::string type = module.value("type", "");
  return type.substr(type.rfind('.') + 1);
}

Pooling read_pooling(const fs::path& path) {
  const Json config = read_json(path);
  check<FormatError>(config.is_object(), "{}: is not an object", path.string());
  if (config.contains("pooling_mode") && config["pooling_mode"].is_string()) {
    const std::string mode = config["pooling_mode"].get<std::string>();
    check<FormatError>(mode == "mean" || mode == "cls" || mode == "max",
                       "{}: the pooling mode '{}' is not supported; mean, cls and max are",
                       path.string(), mode);
    return pooling_of(mode);
  }
  Pooling pooling = Pooling::mean;
  std::size_t modes = 0;
  for (const auto& [key, value] : config.items()) {
    if (!key.starts_with("pooling_mode_") || value != true) {
      continue;
    }
    ++modes;
    const bool is_known = key == "pooling_mode_mean_tokens" || key == "pooling_mode_cls_token" ||
                          key == "pooling_mode_max_tokens";
    check<FormatError>(is_known, "{}: {} is not supported; mean, cls and max are", path.string(),
                       key);
    pooling = key == "pooling_mode_cls_token"    ? Pooling::cls
              : key == "pooling_mode_max_tokens" ? Pooling::max
                                                 : Pooling::mean;
  }
  check<FormatError>(modes == 1, "{}: has {} pooling modes; one is supported", path.string(),
                     modes);
  check<FormatError>(config.value("include_prompt", true),
                     "{}: include_prompt false is not supported", path.string());
  return pooling;
}

void read_prompts(const fs::path& path, SentenceSettings& settings) {
  const Json config = json_or_empty(path);
  const Json prompts = config.value("prompts", Json::object());
  check<FormatError>(prompts.is_object(), "{}: prompts is not an object", path.string());
  for (const auto& [name, text] : prompts.items()) {
    if (text.is_string()) {
      settings.prompts[name] = text.get<std::string>();
    }
  }
  if (const Json name = config.value("default_prompt_name", Json()); name.is_string()) {
    settings.default_prompt = name.get<std::string>();
  }
}

// Tokens of a text, [CLS] and [SEP] counted; 0 where the file does not say.
std::int64_t read_max_length(const fs::path& path) {
  const Json limits = json_or_empty(path);
  const Json most = limits.value("max_seq_length", Json());
  if (!most.is_number_integer()) {
    return 0;
  }
  const auto length = most.get<std::int64_t>();
  check<FormatError>(length > 2, "{}: max_seq_length {} has no room for text", path.string(),
                     length);
  return length;
}

}  // namespace

Pooling pooling_of(const std::string& word) {
  check(word == "mean" || word == "cls" || word == "max",
        "pooling: '{}' is unknown; use mean, cls or max", word);
  return word == "cls" ? Pooling::cls : word == "max" ? Pooling::max : Pooling::mean;
}

SentenceSettings read_sentence_settings(const fs::path& folder) {
  SentenceSettings settings;
  const fs::path path = folder / "modules.json";
  if (!fs::exists(path)) {
    return settings;
  }
  const Json modules = read_json(path);
  check<FormatError>(modules.is_array(), "{}: is not a list of modules", path.string());
  settings.normalise = false;
  for (const Json& module : modules) {
    check<FormatError>(module.is_object(), "{}: a module cannot be {}", path.string(),
                       module.dump());
    const std::string kind = read_of(path, [&] { return class_of(module); });
    check<FormatError>(kind == "Transformer" || kind == "Pooling" || kind == "Normalize",
                       "{}: the module {} is not supported", path.string(), module.dump());
    if (kind == "Pooling") {
      const std::string part =
          read_of(path, [&] { return module.value("path", std::string("1_Pooling")); });
      const fs::path config = folder / part / "config.json";
      settings.pooling = read_of(config, [&] { return read_pooling(config); });
    }
    settings.normalise = settings.normalise || kind == "Normalize";
  }
  const fs::path limits = folder / "sentence_bert_config.json";
  settings.max_length = read_of(limits, [&] { return read_max_length(limits); });
  const fs::path prompts = folder / "config_sentence_transformers.json";
  read_of(prompts, [&] { read_prompts(prompts, settings); });
  return settings;
}

}  // namespace yona
