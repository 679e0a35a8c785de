#include "yona/io/encoder_folder.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/checksums.h"
#include "yona/io/folder_update.h"
#include "yona/io/json_file.h"
#include "yona/io/label_names.h"
#include "yona/io/own_keys.h"
#include "yona/io/trained_folder.h"
#include "yona/io/typed_json.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInt8Weights = "int8";

// The fields that yona keeps in config.json, in the words of the configuration's keys.
Json own_fields(const EncoderInfo& info) {
  Json fields = Json::object();
  fields["task"] = info.config.labels > 0 ? "classification" : "masked-lm";
  write_own_keys(info.config, bert_keys(), fields);
  fields["vocabulary"] = info.config.vocabulary;
  fields["masked_lm"] = info.config.masked_lm;
  fields["norm_epsilon"] = info.config.norm_epsilon;
  return fields;
}

void read_own_fields(const Json& fields, const std::string& where, BertConfig& config) {
  read_own_keys(fields, bert_keys(), where, config);
  const ForeignConfig rest(fields, where);
  config.vocabulary = rest.size("vocabulary");
  config.masked_lm = rest.get<bool>("masked_lm");
  config.norm_epsilon = rest.get<double>("norm_epsilon");
}

Problem read_problem(const Json& config, std::size_t labels) {
  const Json type = config.value("problem_type", Json());
  if (type == "multi_label_classification") {
    return Problem::multi_label;
  }
  return type == "regression" || (type.is_null() && labels == 1) ? Problem::regression
                                                                 : Problem::single_label;
}

std::string problem_name(Problem problem) {
  switch (problem) {
    case Problem::single_label:
      return "single_label_classification";
    case Problem::multi_label:
      return "multi_label_classification";
    case Problem::regression:
      return "regression";
  }
  return "";
}

std::vector<std::string> names_in_files(const std::string& parameter, const EncoderInfo& info) {
  const EncoderFamily* family = find_encoder_family(info.family);
  return family == nullptr ? std::vector<std::string>{parameter}
                           : encoder_names(parameter, *family, info.config.labels > 0);
}

std::optional<NamedArray> find_weight(const SafetensorsFolder& weights,
                                      const std::string& parameter, const EncoderInfo& info) {
  for (const std::string& name : names_in_files(parameter, info)) {
    if (auto found = weights.find(name)) {
      return found;
    }
  }
  return std::nullopt;
}

void read_classes(const Json& config, const std::string& where, EncoderInfo& info) {
  info.labels = read_label_names(config, where);
  info.config.labels = static_cast<std::int64_t>(info.labels.size());
  info.problem = read_problem(config, info.labels.size());
}

bool has_int8_fields(const Json& config) {
  const Json own = config.value("yona", Json());
  return own.is_object() && own.value("weights", Json()) == kInt8Weights;
}

// Which heads there are, only the weights say.
void complete_heads(const SafetensorsFolder& weights, const EncoderFamily& family,
                    const Json& config, const std::string& where, EncoderInfo& info) {
  const std::vector<std::string> labels = read_label_names(config, where);
  info.config.labels = static_cast<std::int64_t>(labels.size());
  if (const auto head = find_weight(weights, "classifier.weight", info)) {
    check<FormatError>(head->shape.rank() == 2 && head->shape[0] == info.config.labels,
                       "{}: \"id2label\" names {} labels, but the classifier has shape {}", where,
                       labels.size(), head->shape);
    info.labels = labels;
    info.problem = read_problem(config, labels.size());
  } else {
    info.config.labels = 0;
  }
  info.config.pooler = find_weight(weights, "pooler.weight", info) ? family.pooler : Pooler::none;
  info.config.masked_lm = find_weight(weights, "masked_lm.dense.weight", info).has_value();
}

std::string architecture_of(const EncoderInfo& info, const EncoderFamily& family) {
  const std::string_view head = info.config.labels > 0  ? "ForSequenceClassification"
                                : info.config.masked_lm ? "ForMaskedLM"
                                                        : "Model";
  return fmt::format("{}{}", family.class_name, head);
}

void write_labels(const EncoderInfo& info, Json& config) {
  if (info.config.labels == 0) {
    return;
  }
  write_label_names(info.labels, config);
  config["problem_type"] = problem_name(info.problem);
}

void verify_weights(const fs::path& folder, const SafetensorsFolder& weights, ThreadPool* pool) {
  if (const std::optional<Manifest> manifest = Manifest::find(folder)) {
    for (const SafetensorsFile& file : weights.files()) {
      check_listed(*manifest, file.path(), file.size(), [&] { return file.checksum(pool); });
    }
  }
}

bool is_head(const std::string& parameter) {
  return parameter.starts_with("classifier.") || parameter.starts_with("masked_lm.") ||
         parameter.starts_with("pooler.");
}

EncoderInfo encoder_info_of(const fs::path& folder) {
  check<IoError>(fs::is_directory(folder), "{}: no such model folder", folder.string());
  const fs::path path = folder / "config.json";
  check<FormatError>(fs::exists(path), "{}: is not a model folder: it has no config.json",
                     folder.string());
  const Json config = read_json(path);
  const std::string where = path.string();
  check<FormatError>(is_encoder_config(config),
                     "{}: \"model_type\" is {}, which is not an encoder; bert, roberta and "
                     "distilbert are",
                     where, config.is_object() ? config.value("model_type", Json()).dump() : "");
  EncoderInfo info;
  info.family = config["model_type"].get<std::string>();
  const EncoderFamily* family = find_encoder_family(info.family);
  if (family == nullptr) {
    read_own_fields(config.value("yona", Json()), where, info.config);
    if (config.contains("id2label")) {
      read_classes(config, where, info);
    }
    check_config(info.config);
    return info;
  }
  info.config = family->read(ForeignConfig(config, where));
  if (has_int8_fields(config)) {
    read_own_fields(config["yona"], where, info.config);
    if (config["yona"].value("task", "") == "classification") {
      read_classes(config, where, info);
    }
  } else {
    complete_heads(SafetensorsFolder(folder), *family, config, where, info);
  }
  if (!config.contains("yona")) {
    info.original_config = read_file(path);
  }
  check_config(info.config);
  return info;
}

}  // namespace

bool is_encoder_config(const Json& config) {
  const Json type = config.is_object() ? config.value("model_type", Json()) : Json();
  return type.is_string() &&
         (type == kOwnEncoder || find_encoder_family(type.get<std::string>()) != nullptr);
}

bool is_encoder_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path path = folder / "config.json";
  return fs::is_regular_file(path, error) && is_encoder_config(read_json(path));
}

EncoderInfo read_encoder_info(const fs::path& folder) {
  const std::string where = (folder / "config.json").string();
  try {
    return read_typed(where, [&] { return encoder_info_of(folder); });
  } catch (const InvalidArgument& error) {
    fail<FormatError>("{}: {}", where, error.what());
  }
}

EncoderChoice choose_encoder_family(const BertConfig& config) {
  const EncoderFamily& family = config.token_types == 0 ? distilbert_encoder() : bert_encoder();
  const std::string obstacle = encoder_obstacle(config, family);
  if (obstacle.empty()) {
    return {std::string(family.model_type), ""};
  }
  return {std::string(kOwnEncoder),
          fmt::format("transformers cannot load the model: {}; yona can", obstacle)};
}

Json encoder_config(const EncoderInfo& info) {
  const EncoderFamily* family = find_encoder_family(info.family);
  Json config = Json::object();
  if (!info.original_config.empty()) {
    config = Json::parse(info.original_config);
  } else if (family != nullptr) {
    config["model_type"] = info.family;
    config.update(family->write(info.config));
  } else {
    config["model_type"] = info.family;
  }
  if (family != nullptr) {
    config["architectures"] = {architecture_of(info, *family)};
  }
  config["torch_dtype"] = "float32";
  write_labels(info, config);
  if (info.original_config.empty()) {
    config["yona"] = own_fields(info);
  }
  return config;
}

Json int8_encoder_fields(const EncoderInfo& info) {
  Json fields = own_fields(info);
  fields["weights"] = kInt8Weights;
  return fields;
}

void write_encoder_model(const fs::path& folder, const EncoderInfo& info,
                         const Parameters& parameters, const Tensor& flat) {
  FolderUpdate update(folder);
  write_json(update.path() / "config.json", encoder_config(info));
  update.keep(subword_files(folder));
  write_encoder_weights(update.path() / "model.safetensors", info, parameters, flat);
  update.commit();
}

void write_encoder_weights(const fs::path& path, const EncoderInfo& info,
                           const Parameters& parameters, const Tensor& flat) {
  const std::vector<float> host = flat.to_vector<float>();
  std::vector<NamedArray> arrays;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::vector<std::string> names = names_in_files(entry.name, info);
    check(!names.empty(), "a {} folder has no place for '{}'", info.family, entry.name);
    arrays.push_back({names.front(), DType::f32, entry.value.shape(), host.data() + entry.offset});
  }
  write_safetensors(path, arrays, {{"format", "pt"}});
}

std::vector<std::string> read_encoder_weights(const fs::path& folder, const EncoderInfo& info,
                                              const Parameters& parameters, Heads heads) {
  const SafetensorsFolder weights(folder);
  verify_weights(folder, weights, parameters.weights().storage()->region->backend().exec().pool);
  std::vector<std::string> missing;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::optional<NamedArray> found = find_weight(weights, entry.name, info);
    const bool fits = found && found->shape == entry.value.shape();
    if (heads == Heads::may_be_new && is_head(entry.name) && !fits) {
      missing.push_back(entry.name);
      continue;
    }
    check<FormatError>(found.has_value(), "{}: the weights have no tensor '{}' ({})",
                       folder.string(), entry.name,
                       fmt::join(names_in_files(entry.name, info), " or "));
    check<FormatError>(fits, "{}: tensor '{}' has shape {}, not {}", folder.string(), entry.name,
                       found->shape, entry.value.shape());
    copy_weights(entry.value, *found);
  }
  return missing;
}

}  // namespace yona
