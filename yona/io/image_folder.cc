#include "yona/io/image_folder.h"

#include <algorithm>
#include <array>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/checksums.h"
#include "yona/io/encoder_family.h"
#include "yona/io/hf_family.h"
#include "yona/io/image_processor_config.h"
#include "yona/io/json_file.h"
#include "yona/io/label_names.h"
#include "yona/io/own_keys.h"
#include "yona/io/safetensors_folder.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessorFile = "preprocessor_config.json";

// Below the prefix "vit." or "deit.": as files have them, and as transformers 5 names them in
// memory.
constexpr std::array kVitNames{
    Renaming{"embedding.class_token", "embeddings.cls_token"},
    Renaming{"embedding.distillation_token", "embeddings.distillation_token"},
    Renaming{"embedding.positions", "embeddings.position_embeddings"},
    Renaming{"embedding.patches.", "embeddings.patch_embeddings.projection."},
    Renaming{"layers.#.self_attention.query.", "encoder.layer.#.attention.attention.query."},
    Renaming{"layers.#.self_attention.key.", "encoder.layer.#.attention.attention.key."},
    Renaming{"layers.#.self_attention.value.", "encoder.layer.#.attention.attention.value."},
    Renaming{"layers.#.self_attention.output.", "encoder.layer.#.attention.output.dense."},
    Renaming{"layers.#.self_attention_norm.", "encoder.layer.#.layernorm_before."},
    Renaming{"layers.#.feed_forward.inner.", "encoder.layer.#.intermediate.dense."},
    Renaming{"layers.#.feed_forward.outer.", "encoder.layer.#.output.dense."},
    Renaming{"layers.#.feed_forward_norm.", "encoder.layer.#.layernorm_after."},
    Renaming{"norm.", "layernorm."},
    Renaming{"layers.#.self_attention.query.", "layers.#.attention.q_proj."},
    Renaming{"layers.#.self_attention.key.", "layers.#.attention.k_proj."},
    Renaming{"layers.#.self_attention.value.", "layers.#.attention.v_proj."},
    Renaming{"layers.#.self_attention.output.", "layers.#.attention.o_proj."},
    Renaming{"layers.#.self_attention_norm.", "layers.#.layernorm_before."},
    Renaming{"layers.#.feed_forward.inner.", "layers.#.mlp.fc1."},
    Renaming{"layers.#.feed_forward.outer.", "layers.#.mlp.fc2."},
    Renaming{"layers.#.feed_forward_norm.", "layers.#.layernorm_after."}};

bool is_vit_family(std::string_view type) { return type == "vit" || type == "deit"; }

bool is_classifier(const std::string& parameter) {
  return parameter.starts_with("classifier.") || parameter.starts_with("distillation_classifier.");
}

// The two sides of one key: 224 or [224, 224].
std::pair<std::int64_t, std::int64_t> sides_of(const ForeignConfig& config, const char* key,
                                               std::int64_t otherwise) {
  if (!config.has(key)) {
    return {otherwise, otherwise};
  }
  const Json value = config.get<Json>(key);
  if (!value.is_array()) {
    const std::int64_t side = config.size(key);
    return {side, side};
  }
  const auto sides = config.get<std::vector<std::int64_t>>(key);
  check<FormatError>(sides.size() == 2, "{}: \"{}\" has {} numbers; expected height and width",
                     config.where(), key, sides.size());
  return {sides[0], sides[1]};
}

VitConfig read_vit_config(const ForeignConfig& config, std::string_view family) {
  VitConfig vit;
  std::tie(vit.image_height, vit.image_width) = sides_of(config, "image_size", 224);
  const auto [patch_height, patch_width] = sides_of(config, "patch_size", 16);
  check<FormatError>(patch_height == patch_width,
                     "{}: \"patch_size\" is {} × {}; only squares are supported", config.where(),
                     patch_height, patch_width);
  vit.patch = patch_height;
  vit.channels = config.size("num_channels", 3);
  read_encoder_layers(config, 0.0, vit);
  vit.qkv_bias = config.get<bool>("qkv_bias", true);
  vit.distillation_token = family == "deit";
  return vit;
}

Json write_vit_config(const VitConfig& config) {
  const Json size = config.image_height == config.image_width
                        ? Json(config.image_height)
                        : Json{config.image_height, config.image_width};
  return {{"image_size", size},
          {"patch_size", config.patch},
          {"num_channels", config.channels},
          {"hidden_size", config.d_model},
          {"num_hidden_layers", config.layers},
          {"num_attention_heads", config.heads},
          {"intermediate_size", config.d_ff},
          {"hidden_act", encoder_activation_name(config.activation)},
          {"hidden_dropout_prob", config.dropout},
          {"attention_probs_dropout_prob", config.attention_dropout},
          {"layer_norm_eps", config.norm_epsilon},
          {"qkv_bias", config.qkv_bias}};
}

// The fields that yona keeps in config.json, in the words of the configuration's keys.
Json own_vit_fields(const VitConfig& config) {
  Json fields = Json::object();
  fields["task"] = "image-classification";
  write_own_keys(config, vit_keys(), fields);
  fields["image_height"] = config.image_height;
  fields["image_width"] = config.image_width;
  fields["channels"] = config.channels;
  fields["norm_epsilon"] = config.norm_epsilon;
  return fields;
}

VitConfig read_own_vit_fields(const Json& fields, const std::string& where) {
  VitConfig config;
  read_own_keys(fields, vit_keys(), where, config);
  const ForeignConfig rest(fields, where);
  config.image_height = rest.size("image_height");
  config.image_width = rest.size("image_width");
  config.channels = rest.size("channels");
  config.norm_epsilon = rest.get<double>("norm_epsilon");
  return config;
}

std::optional<NamedArray> find_image_weight(const SafetensorsFolder& weights,
                                            const std::string& parameter,
                                            const ImageModelInfo& info) {
  for (const std::string& name : image_weight_names(parameter, info)) {
    if (auto found = weights.find(name)) {
      return found;
    }
  }
  return std::nullopt;
}

// Which heads there are, only the weights say.
void complete_classifier(const fs::path& folder, const Json& config, const std::string& where,
                         ImageModelInfo& info) {
  const SafetensorsFolder weights(folder);
  const std::optional<NamedArray> head = find_image_weight(weights, "classifier.weight", info);
  if (!head) {
    return;  // a model without one, to begin a run with
  }
  info.labels = read_label_names(config, where);
  info.config.labels = static_cast<std::int64_t>(info.labels.size());
  check<FormatError>(head->shape.rank() == 2 && head->shape[0] == info.config.labels,
                     "{}: \"id2label\" names {} labels, but the classifier has shape {}", where,
                     info.labels.size(), head->shape);
  info.config.distillation_classifier =
      info.config.distillation_token &&
      find_image_weight(weights, "distillation_classifier.weight", info).has_value();
}

void read_processor(const fs::path& folder, ImageModelInfo& info) {
  const fs::path path = folder / kProcessorFile;
  std::error_code error;
  if (!fs::exists(path, error)) {
    info.processor = read_image_processor(Json::object(), path.string(), image_shape(info.config));
    return;
  }
  info.original_processor = read_file(path);
  info.processor = read_image_processor(read_json(path), path.string(), image_shape(info.config));
}

// The shape that files have for a parameter: tokens, positions and a convolution's weights.
Shape shape_in_files(const std::string& parameter, const Shape& shape, const VitConfig& config,
                     bool is_own) {
  if (is_own) {
    return shape;
  }
  if (parameter == "embedding.patches.weight") {
    return {config.d_model, config.channels, config.patch, config.patch};
  }
  const bool is_table = parameter == "embedding.class_token" ||
                        parameter == "embedding.distillation_token" ||
                        parameter == "embedding.positions";
  return is_table ? Shape{1, shape[0], shape[1]} : shape;
}

void verify_image_weights(const fs::path& folder, const SafetensorsFolder& weights,
                          ThreadPool* pool) {
  if (const std::optional<Manifest> manifest = Manifest::find(folder)) {
    for (const SafetensorsFile& file : weights.files()) {
      check_listed(*manifest, file.path(), file.size(), [&] { return file.checksum(pool); });
    }
  }
}

std::string architecture_of_vit(const ImageModelInfo& info) {
  const std::string_view name = info.family == "deit" ? "DeiT" : "ViT";
  return fmt::format("{}ForImageClassification{}", name,
                     info.config.distillation_classifier ? "WithTeacher" : "");
}

}  // namespace

ImageShape image_shape(const VitConfig& config) {
  return {config.image_height, config.image_width, config.channels};
}

PatchGrid patch_grid(const VitConfig& config) {
  return {image_shape(config), config.patch, config.step()};
}

bool is_image_config(const Json& config) {
  const Json type = config.is_object() ? config.value("model_type", Json()) : Json();
  return type.is_string() && (type == kOwnVit || is_vit_family(type.get<std::string>()));
}

ImageModelInfo read_image_info(const fs::path& folder) {
  check<IoError>(fs::is_directory(folder), "{}: no such model folder", folder.string());
  const fs::path path = folder / "config.json";
  check<FormatError>(fs::exists(path), "{}: is not a model folder: it has no config.json",
                     folder.string());
  const Json config = read_json(path);
  const std::string where = path.string();
  check<FormatError>(is_image_config(config),
                     "{}: \"model_type\" is {}, which is not an image classifier; vit and deit are",
                     where, config.is_object() ? config.value("model_type", Json()).dump() : "");
  ImageModelInfo info;
  info.family = config["model_type"].get<std::string>();
  info.config = info.family == kOwnVit ? read_own_vit_fields(config.value("yona", Json()), where)
                                       : read_vit_config(ForeignConfig(config, where), info.family);
  if (info.family != kOwnVit && !config.contains("yona")) {
    info.original_config = read_file(path);
  }
  try {
    check_config(info.config);
  } catch (const InvalidArgument& error) {
    fail<FormatError>("{}: {}", where, error.what());
  }
  complete_classifier(folder, config, where, info);
  read_processor(folder, info);
  return info;
}

ImageFamilyChoice choose_image_family(const VitConfig& config) {
  const std::string_view obstacle = config.image_vector == ImageVector::mean
                                        ? "it classifies the mean of the patches"
                                    : config.step() != config.patch ? "its patches overlap"
                                                                    : "";
  if (obstacle.empty()) {
    return {config.distillation_token ? "deit" : "vit"};
  }
  return {std::string(kOwnVit),
          fmt::format("transformers cannot load the model: {}; yona can", obstacle)};
}

ImageProcessor processor_for(const VitConfig& config, const ImageNormalisation& normalisation) {
  ImageProcessor processor;
  processor.height = config.image_height;
  processor.width = config.image_width;
  processor.normalisation = normalisation;
  return processor;
}

Json image_config(const ImageModelInfo& info) {
  Json config = Json::object();
  if (!info.original_config.empty()) {
    config = Json::parse(info.original_config);
  } else {
    config["model_type"] = info.family;
    if (info.family != kOwnVit) {
      config.update(write_vit_config(info.config));
    }
    config["yona"] = own_vit_fields(info.config);
  }
  if (info.family != kOwnVit) {
    config["architectures"] = {architecture_of_vit(info)};
  }
  config["torch_dtype"] = "float32";
  if (!info.labels.empty()) {
    write_label_names(info.labels, config);
    config["problem_type"] = "single_label_classification";
  }
  return config;
}

Json processor_config(const ImageModelInfo& info) {
  return info.original_processor.empty() ? write_image_processor(info.processor)
                                         : Json::parse(info.original_processor);
}

std::vector<std::string> image_weight_names(const std::string& parameter,
                                            const ImageModelInfo& info) {
  if (info.family == kOwnVit || parameter.starts_with("distillation_classifier.")) {
    return {parameter};
  }
  if (parameter.starts_with("classifier.")) {
    const std::string teacher = "cls_" + parameter;
    return info.config.distillation_classifier ? std::vector<std::string>{teacher}
                                               : std::vector<std::string>{parameter, teacher};
  }
  std::vector<std::string> names;
  for (const Renaming& rule : kVitNames) {
    if (const auto name = renamed(parameter, rule)) {
      names.push_back(info.family + "." + *name);
      names.push_back(*name);
    }
  }
  return names;
}

void write_image_weights(const fs::path& path, const ImageModelInfo& info,
                         const Parameters& parameters, const Tensor& flat) {
  const std::vector<float> host = flat.to_vector<float>();
  std::vector<NamedArray> arrays;
  arrays.reserve(parameters.entries().size());
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::vector<std::string> names = image_weight_names(entry.name, info);
    check(!names.empty(), "a {} folder has no place for '{}'", info.family, entry.name);
    const Shape shape =
        shape_in_files(entry.name, entry.value.shape(), info.config, info.family == kOwnVit);
    arrays.push_back({names.front(), DType::f32, shape, host.data() + entry.offset});
  }
  write_safetensors(path, arrays, {{"format", "pt"}});
}

std::vector<std::string> read_image_weights(const fs::path& folder, const ImageModelInfo& info,
                                            const Parameters& parameters, Classifier classifier) {
  const SafetensorsFolder weights(folder);
  verify_image_weights(folder, weights,
                       parameters.weights().storage()->region->backend().exec().pool);
  std::vector<std::string> missing;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::optional<NamedArray> found = find_image_weight(weights, entry.name, info);
    const Shape expected =
        shape_in_files(entry.name, entry.value.shape(), info.config, info.family == kOwnVit);
    const bool fits = found && found->shape == expected;
    if (classifier == Classifier::may_be_new && is_classifier(entry.name) && !fits) {
      missing.push_back(entry.name);
      continue;
    }
    check<FormatError>(found.has_value(), "{}: the weights have no tensor '{}' ({})",
                       folder.string(), entry.name,
                       fmt::join(image_weight_names(entry.name, info), " or "));
    check<FormatError>(fits, "{}: tensor '{}' has shape {}, not {}", folder.string(), entry.name,
                       found->shape, expected);
    copy_weights(entry.value, *found);
  }
  return missing;
}

}  // namespace yona
