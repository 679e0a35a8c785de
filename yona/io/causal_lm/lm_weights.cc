#include "yona/io/causal_lm/lm_weights.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/checksums.h"
#include "yona/io/safetensors_folder.h"

namespace yona {

namespace {

struct LmName {
  std::string_view ours, theirs;  // # is the number of a layer
};

constexpr std::array kGpt2Names{
    LmName{"embedding.weight", "transformer.wte.weight"},
    LmName{"positions.weight", "transformer.wpe.weight"},
    LmName{"layers.#.self_attention_norm.", "transformer.h.#.ln_1."},
    LmName{"layers.#.self_attention.query.", "transformer.h.#.attn.c_attn."},
    LmName{"layers.#.self_attention.key.", "transformer.h.#.attn.c_attn."},
    LmName{"layers.#.self_attention.value.", "transformer.h.#.attn.c_attn."},
    LmName{"layers.#.self_attention.output.", "transformer.h.#.attn.c_proj."},
    LmName{"layers.#.feed_forward_norm.", "transformer.h.#.ln_2."},
    LmName{"layers.#.feed_forward.inner.", "transformer.h.#.mlp.c_fc."},
    LmName{"layers.#.feed_forward.outer.", "transformer.h.#.mlp.c_proj."},
    LmName{"norm.", "transformer.ln_f."},
    LmName{"projection.weight", "lm_head.weight"}};

// The gate of the hub is what goes through the activation: `inner` here.
constexpr std::array kLlamaNames{
    LmName{"embedding.weight", "model.embed_tokens.weight"},
    LmName{"layers.#.self_attention_norm.", "model.layers.#.input_layernorm."},
    LmName{"layers.#.self_attention.query.", "model.layers.#.self_attn.q_proj."},
    LmName{"layers.#.self_attention.key.", "model.layers.#.self_attn.k_proj."},
    LmName{"layers.#.self_attention.value.", "model.layers.#.self_attn.v_proj."},
    LmName{"layers.#.self_attention.query_norm.", "model.layers.#.self_attn.q_norm."},
    LmName{"layers.#.self_attention.key_norm.", "model.layers.#.self_attn.k_norm."},
    LmName{"layers.#.self_attention.output.", "model.layers.#.self_attn.o_proj."},
    LmName{"layers.#.feed_forward_norm.", "model.layers.#.post_attention_layernorm."},
    LmName{"layers.#.feed_forward.inner.", "model.layers.#.mlp.gate_proj."},
    LmName{"layers.#.feed_forward.gate.", "model.layers.#.mlp.up_proj."},
    LmName{"layers.#.feed_forward.outer.", "model.layers.#.mlp.down_proj."},
    LmName{"norm.", "model.norm."},
    LmName{"projection.weight", "lm_head.weight"}};

// The name with # for its layer, and the layer.
std::pair<std::string, std::string> without_layer(const std::string& parameter) {
  constexpr std::string_view kLayers = "layers.";
  if (!parameter.starts_with(kLayers)) {
    return {parameter, ""};
  }
  const std::size_t end = parameter.find('.', kLayers.size());
  const std::string layer = parameter.substr(kLayers.size(), end - kLayers.size());
  return {"layers.#" + parameter.substr(end), layer};
}

template <class Names>
std::string renamed(const std::string& parameter, const Names& names) {
  const auto [general, layer] = without_layer(parameter);
  for (const LmName& name : names) {
    if (general.starts_with(name.ours)) {
      std::string result = std::string(name.theirs) + general.substr(name.ours.size());
      if (const std::size_t at = result.find('#'); at != std::string::npos) {
        result.replace(at, 1, layer);
      }
      return result;
    }
  }
  fail("language model: there is no place for the parameter '{}'", parameter);
}

bool is_matrix_of_layer(const std::string& parameter) {
  return parameter.starts_with("layers.") && parameter.ends_with(".weight") &&
         parameter.find("norm") == std::string::npos;
}

// GPT-2's files may lack the prefix (GPT2Model).
NamedArray found(const SafetensorsFolder& file, const std::string& name,
                 const std::filesystem::path& folder) {
  std::optional<NamedArray> array = file.find(name);
  if (!array && name.starts_with("transformer.")) {
    array = file.find(name.substr(std::string_view("transformer.").size()));
  }
  check<FormatError>(array.has_value(), "{}: the weights have no tensor '{}'", folder.string(),
                     name);
  return *array;
}

void check_shape(const NamedArray& array, const Shape& expected,
                 const std::filesystem::path& folder) {
  check<FormatError>(array.shape == expected, "{}: tensor '{}' has shape {}, config.json wants {}",
                     folder.string(), array.name, array.shape, expected);
}

// Read after the weights were opened: a manifest knows the file that it replaces, not the next.
void verify_weights(const SafetensorsFolder& weights, const std::filesystem::path& folder,
                    ThreadPool* pool) {
  if (const std::optional<Manifest> manifest = Manifest::find(folder)) {
    for (const SafetensorsFile& file : weights.files()) {
      check_listed(*manifest, file.path(), file.size(), [&] { return file.checksum(pool); });
    }
  }
}

}  // namespace

WeightPlace weight_place(const std::string& parameter, LmFamily family,
                         const CausalLmConfig& config) {
  if (family == LmFamily::yona) {
    return {parameter};
  }
  if (family != LmFamily::gpt2) {
    return {renamed(parameter, kLlamaNames)};
  }
  WeightPlace place{renamed(parameter, kGpt2Names), is_matrix_of_layer(parameter)};
  if (place.name.find(".c_attn.") != std::string::npos) {
    place.rows = 3 * config.d_model;
    place.first = parameter.find(".query.") != std::string::npos ? 0
                  : parameter.find(".key.") != std::string::npos ? config.d_model
                                                                 : 2 * config.d_model;
  }
  return place;
}

LazyWeights open_lm_weights(const std::filesystem::path& folder, const LmDescription& description,
                            const Parameters& parameters) {
  const auto file = std::make_shared<const SafetensorsFolder>(folder);
  verify_weights(*file, folder, parameters.weights().storage()->region->backend().exec().pool);
  std::vector<WeightSource> sources;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const WeightPlace place = weight_place(entry.name, description.family, description.config);
    const NamedArray array = found(*file, place.name, folder);
    const Shape& ours = entry.value.shape();
    const std::int64_t rows = place.rows > 0 ? place.rows : ours[0];
    const Shape theirs = ours.rank() == 1   ? Shape{rows}
                         : place.transposed ? Shape{ours[1], rows}
                                            : Shape{rows, ours[1]};
    check_shape(array, theirs, folder);
    sources.push_back({array, place.transposed, place.first});
  }
  return {parameters, std::move(sources), file};
}

void read_lm_weights(const std::filesystem::path& folder, const LmDescription& description,
                     const Parameters& parameters) {
  open_lm_weights(folder, description, parameters).read_all();
}

void write_lm_weights(const std::filesystem::path& path, const LmDescription& description,
                      const Parameters& parameters, const Tensor& flat) {
  const std::vector<float> host = flat.to_vector<float>();
  std::map<std::string, std::vector<float>> made;  // transposed and joined ones
  std::vector<NamedArray> arrays;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const WeightPlace place = weight_place(entry.name, description.family, description.config);
    const float* values = host.data() + entry.offset;
    const Shape& ours = entry.value.shape();
    if (!place.transposed && place.rows == 0) {
      arrays.push_back({place.name, DType::f32, ours, values});
      continue;
    }
    const std::int64_t rows = place.rows > 0 ? place.rows : ours[0];
    const std::int64_t columns = ours.rank() == 1 ? 1 : ours[1];
    std::vector<float>& all = made[place.name];
    all.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < ours[0]; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        all[static_cast<std::size_t>(column * rows + place.first + row)] =
            values[row * columns + column];
      }
    }
    if (place.first == 0) {
      arrays.push_back(
          {place.name, DType::f32, ours.rank() == 1 ? Shape{rows} : Shape{columns, rows}, nullptr});
    }
  }
  for (NamedArray& array : arrays) {
    if (array.data == nullptr) {
      array.data = made.at(array.name).data();
    }
  }
  write_safetensors(path, arrays, {{"format", "pt"}});
}

}  // namespace yona
