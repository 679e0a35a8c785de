// What is written: parameters under the family's names, and the tensors that yona does not train
// but the families store.

#include <algorithm>
#include <string>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/nn/positions.h"

namespace yona {

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
    const std::vector<std::string> names = huggingface_names(parameter.name, *family);
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
    const std::int64_t count = projection_bias->shape.elements();  // without <pad>, which is last
    check(projection_bias->dtype == DType::f32 && (count == V || count == V - 1),
          "projection.bias is {} {}, not f32 [{}]", projection_bias->dtype, projection_bias->shape,
          V);
    std::copy_n(static_cast<const float*>(projection_bias->data), count, final_bias_.begin());
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
