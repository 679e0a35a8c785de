// Tensor names and the tensors that yona does not train but the families store. Marian and Pegasus
// took their names from BART, so that one table serves both.

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/nn/positions.h"

namespace yona {

namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

// Longer names stand before their own beginnings.
constexpr std::array<Renaming, 8> kModules = {
    {{"self_attention_norm.", "self_attn_layer_norm."},
     {"self_attention.", "self_attn."},
     {"cross_attention_norm.", "encoder_attn_layer_norm."},
     {"cross_attention.", "encoder_attn."},
     {"feed_forward_norm.", "final_layer_norm."},
     {"feed_forward.inner.", "fc1."},
     {"feed_forward.outer.", "fc2."},
     {"norm.", "layer_norm."}}};
constexpr std::array<Renaming, 4> kProjections = {
    {{"query.", "q_proj."}, {"key.", "k_proj."}, {"value.", "v_proj."}, {"output.", "out_proj."}}};

// Replaces the beginning of `text` by the first rule that fits; false when none does.
bool rename_front(std::string& text, std::span<const Renaming> rules, std::size_t from) {
  for (const auto& [ours, theirs] : rules) {
    if (text.compare(from, ours.size(), ours) == 0) {
      text.replace(from, ours.size(), theirs);
      return true;
    }
  }
  return false;
}

// "layers.12." at `from`: the position behind it, or `from` when there is none.
std::size_t skip_layer(const std::string& text, std::size_t from) {
  constexpr std::string_view kLayers = "layers.";
  if (text.compare(from, kLayers.size(), kLayers) != 0) {
    return from;
  }
  const std::size_t dot = text.find('.', from + kLayers.size());
  return dot == std::string::npos ? from : dot + 1;
}

// Names below encoder. and decoder.; empty when the families have nothing of that name.
std::string stack_name(const std::string& parameter) {
  std::string name = parameter;
  const std::size_t module = skip_layer(name, name.find('.') + 1);
  if (!rename_front(name, kModules, module)) {
    return "";
  }
  const std::size_t dot = name.find('.', module);
  rename_front(name, kProjections, dot + 1);
  return "model." + name;
}

}  // namespace

std::vector<std::string> huggingface_names(const std::string& parameter) {
  if (parameter == "shared.weight") {  // other writers keep another of the tied names
    return {"model.shared.weight", "model.encoder.embed_tokens.weight",
            "model.decoder.embed_tokens.weight", "lm_head.weight"};
  }
  if (parameter == "encoder.embedding.weight") {
    return {"model.encoder.embed_tokens.weight"};
  }
  if (parameter == "decoder.embedding.weight") {
    return {"model.decoder.embed_tokens.weight"};
  }
  if (parameter == "projection.weight") {
    return {"lm_head.weight"};
  }
  if (parameter == "projection.bias") {
    return {"final_logits_bias"};
  }
  if (parameter.starts_with("encoder.") || parameter.starts_with("decoder.")) {
    const std::string name = stack_name(parameter);
    return name.empty() ? std::vector<std::string>() : std::vector{name};
  }
  return {};
}

HuggingFaceWeights::HuggingFaceWeights(const ModelDescription& description,
                                       std::span<const NamedArray> parameters) {
  const HfFamily* family = choose_family(description).family;
  if (family == nullptr) {
    arrays_.assign(parameters.begin(), parameters.end());
    return;
  }
  const NamedArray* projection_bias = nullptr;
  for (const NamedArray& parameter : parameters) {
    if (parameter.name == "projection.bias") {
      projection_bias = &parameter;
      continue;
    }
    const std::vector<std::string> names = huggingface_names(parameter.name);
    check(!names.empty(), "{} has no parameter like '{}'", family->architecture, parameter.name);
    arrays_.push_back(parameter);
    arrays_.back().name = names.front();
  }
  add_final_bias(description, projection_bias);
  if (family->saves_positions) {
    add_positions(description);
  }
}

// [1, V]: zeros, or the model's own bias, and −1e9 where <pad> stands.
void HuggingFaceWeights::add_final_bias(const ModelDescription& description,
                                        const NamedArray* projection_bias) {
  constexpr float kBarred = -1e9F;
  const std::int64_t V = description.target_vocab;
  final_bias_.assign(static_cast<std::size_t>(V), 0.0F);
  if (projection_bias != nullptr) {
    check(projection_bias->dtype == DType::f32 && projection_bias->shape == Shape{V},
          "projection.bias is {} {}, not f32 [{}]", projection_bias->dtype, projection_bias->shape,
          V);
    std::copy_n(static_cast<const float*>(projection_bias->data), V, final_bias_.begin());
  }
  final_bias_[static_cast<std::size_t>(description.pad())] = kBarred;
  arrays_.push_back({"final_logits_bias", DType::f32, {1, V}, final_bias_.data()});
}

void HuggingFaceWeights::add_positions(const ModelDescription& d) {
  const std::vector<double> table = sinusoids(d.max_positions, d.d_model, d.position_base);
  positions_.assign(table.begin(), table.end());
  for (const char* stack : {"encoder", "decoder"}) {
    arrays_.push_back({fmt::format("model.{}.embed_positions.weight", stack),
                       DType::f32,
                       {d.max_positions, d.d_model},
                       positions_.data()});
  }
}

}  // namespace yona
