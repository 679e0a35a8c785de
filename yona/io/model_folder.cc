// Foreign names are resolved here, once, so that models see their own.

#include "yona/io/model_folder.h"

#include <cstring>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"

namespace yona {

ModelFolder::ModelFolder(const std::filesystem::path& folder)
    : folder_(folder),
      description_(
          read_description(read_json(folder / "config.json"), (folder / "config.json").string())),
      weights_(folder) {
  if (description_.projection_bias && bias_only_bars_padding()) {
    description_.projection_bias = false;
  }
}

std::optional<NamedArray> ModelFolder::find(const std::string& parameter) const {
  std::vector<std::string> names = huggingface_names(parameter);
  names.insert(names.begin(), parameter);
  for (const std::string& name : names) {
    if (auto found = weights_.find(name)) {
      found->name = parameter;
      if (parameter == "projection.bias") {
        found->shape = Shape{found->shape.elements()};
      }
      return found;
    }
  }
  return std::nullopt;
}

NamedArray ModelFolder::get(const std::string& parameter, const Shape& shape) const {
  const std::optional<NamedArray> found = find(parameter);
  if (!found) {
    const std::vector<std::string> names = huggingface_names(parameter);
    fail<FormatError>("{}: the weights have no tensor '{}'{}", folder_.string(), parameter,
                      names.empty() ? "" : fmt::format(" (or '{}')", names.front()));
  }
  check<FormatError>(found->shape == shape, "{}: tensor '{}' has shape {}, not {}",
                     folder_.string(), parameter, found->shape, shape);
  return *found;
}

// Published models carry a trained bias; ours, and some others, only keep <pad> from coming out.
bool ModelFolder::bias_only_bars_padding() const {
  const std::optional<NamedArray> bias = find("projection.bias");
  if (!bias) {
    return true;
  }
  if (bias->dtype != DType::f32) {
    return false;
  }
  std::vector<float> values(static_cast<std::size_t>(bias->shape.elements()));
  std::memcpy(values.data(), bias->data, bias->bytes());
  for (std::size_t id = 0; id < values.size(); ++id) {
    if (values[id] != 0 && static_cast<std::int64_t>(id) != description_.pad()) {
      return false;
    }
  }
  return true;
}

}  // namespace yona
