// What is written: parameters under the family's names, and the tensors that yona does not train
// but the families store.

#include <algorithm>
#include <string>
#include <string_view>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/nn/positions.h"

namespace yona {

namespace {

// Of the names that a parameter can have in files, the one that transformers writes: the first,
// but T5 numbers the two matrices of a gated layer.
std::string written_name(const std::string& parameter, const HfFamily& family,
                         const ModelDescription& description) {
  const std::vector<std::string> names = huggingface_names(parameter, family);
  check(!names.empty(), "{} has no parameter like '{}'", family.architecture, parameter);
  const bool is_numbered = description.config.departures.gated &&
                           parameter.find(".feed_forward.inner.") != std::string::npos;
  return is_numbered ? names.back() : names.front();
}

bool is_embedding(std::string_view name) {
  return name == "shared.weight" || name == "encoder.embedding.weight" ||
         name == "decoder.embedding.weight" || name == "projection.weight";
}

// Has the family's model a matrix that both stacks share, though each may have its own?
bool has_shared_matrix(const ModelDescription& d, const HfFamily& family) {
  return &family != &marian_family() || (!d.family.empty() && d.shared_vocabulary);
}

}  // namespace

HuggingFaceWeights::HuggingFaceWeights(const ModelDescription& description,
                                       std::span<const NamedArray> parameters) {
  const HfFamily* family = description.family.empty() ? choose_family(description).family
                                                      : find_family(description.family);
  if (family == nullptr) {
    arrays_.assign(parameters.begin(), parameters.end());
    return;
  }
  add_embeddings(description, *family, parameters);
  const NamedArray* projection_bias = nullptr;
  for (const NamedArray& parameter : parameters) {
    if (is_embedding(parameter.name)) {
      continue;
    }
    if (parameter.name == "projection.bias") {
      projection_bias = &parameter;
      continue;
    }
    arrays_.push_back(parameter);
    arrays_.back().name = written_name(parameter.name, *family, description);
    if (parameter.name.ends_with(".positions.weight") && !description.family.empty()) {
      add_unused_positions(description, arrays_.back());
    }
  }
  if (family->has_final_bias) {
    add_final_bias(description, projection_bias);
  }
  if (family->saves_positions && description.config.positions == PositionKind::sinusoidal) {
    add_positions(description);
  }
}

// transformers fills in what is missing where all matrices are one, and gives random values to it
// where they are not: then each is written under its own name, as often as it is used.
void HuggingFaceWeights::add_embeddings(const ModelDescription& d, const HfFamily& family,
                                        std::span<const NamedArray> parameters) {
  const auto given = [&](std::string_view name) {
    return std::find_if(parameters.begin(), parameters.end(),
                        [&](const NamedArray& each) { return each.name == name; });
  };
  const auto write = [&](const std::string& parameter, std::string_view instead) {
    const auto own = given(parameter);
    const auto found = own != parameters.end() ? own : given(instead);
    if (found != parameters.end()) {
      arrays_.push_back(*found);
      arrays_.back().name = written_name(parameter, family, d);
    }
  };
  const bool fills_in = d.config.tying == Tying::all ||
                        (d.config.tying == Tying::inputs && family.always_ties) ||
                        (d.config.tying == Tying::target && !has_shared_matrix(d, family));
  if (fills_in) {
    for (const NamedArray& parameter : parameters) {
      if (is_embedding(parameter.name)) {
        write(parameter.name, "");
      }
    }
    return;
  }
  if (has_shared_matrix(d, family)) {
    write("shared.weight", "encoder.embedding.weight");
  }
  write("encoder.embedding.weight", "shared.weight");
  write("decoder.embedding.weight", "shared.weight");
  write("projection.weight", "decoder.embedding.weight");
}

// Families number learned positions from first_position on; the rows before are never read.
void HuggingFaceWeights::add_unused_positions(const ModelDescription& description,
                                              NamedArray& table) {
  const std::int64_t unused = description.config.departures.first_position;
  if (unused == 0) {
    return;
  }
  const std::int64_t width = table.shape[1];
  const auto* values = static_cast<const float*>(table.data);
  std::vector<float>& all = tables_.emplace_back(static_cast<std::size_t>(unused * width), 0.0F);
  all.insert(all.end(), values, values + table.shape.elements());
  table.shape = {table.shape[0] + unused, width};
  table.data = all.data();
}

// [1, V]: zeros, or the model's own bias, and −1e9 where a barred <pad> stands.
void HuggingFaceWeights::add_final_bias(const ModelDescription& description,
                                        const NamedArray* projection_bias) {
  constexpr float kBarred = -1e9F;
  const std::int64_t V = description.config.target_vocabulary;
  final_bias_.assign(static_cast<std::size_t>(V), 0.0F);
  if (projection_bias != nullptr) {
    const std::int64_t count = projection_bias->shape.elements();  // without <pad>, which is last
    check(projection_bias->dtype == DType::f32 && (count == V || count == V - 1),
          "projection.bias is {} {}, not f32 [{}]", projection_bias->dtype, projection_bias->shape,
          V);
    std::copy_n(static_cast<const float*>(projection_bias->data), count, final_bias_.begin());
  }
  if (description.config.departures.padding == Padding::barred) {
    final_bias_[static_cast<std::size_t>(description.pad())] = kBarred;
  }
  arrays_.push_back({"final_logits_bias", DType::f32, {1, V}, final_bias_.data()});
}

void HuggingFaceWeights::add_positions(const ModelDescription& d) {
  const std::vector<double> table =
      sinusoids(d.config.max_positions, d.config.d_model, d.config.position_base);
  positions_.assign(table.begin(), table.end());
  for (const char* stack : {"encoder", "decoder"}) {
    arrays_.push_back({fmt::format("model.{}.embed_positions.weight", stack),
                       DType::f32,
                       {d.config.max_positions, d.config.d_model},
                       positions_.data()});
  }
}

}  // namespace yona
