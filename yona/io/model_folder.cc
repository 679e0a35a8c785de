// Foreign names are resolved here, once, so that models see their own.

#include "yona/io/model_folder.h"

#include <algorithm>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/checksums.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/marian_files.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

constexpr float kBarred = -1e8F;  // logits below this never win

}  // namespace

bool is_model_folder(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / "config.json", error) || is_marian_folder(folder);
}

ModelDescription read_folder_description(const std::filesystem::path& folder) {
  if (is_marian_folder(folder)) {
    return MarianNpz(find_marian_files(folder).model).description();
  }
  const std::filesystem::path path = folder / "config.json";
  check<FormatError>(!std::filesystem::is_directory(folder) || std::filesystem::exists(path),
                     "{}: is no model folder: it has neither config.json nor an .npz of Marian",
                     folder.string());
  return read_description(read_json(path), path.string());
}

ModelFolder::ModelFolder(const std::filesystem::path& folder) : folder_(folder) {
  if (is_marian_folder(folder)) {
    marian_.emplace(find_marian_files(folder).model);
    description_ = marian_->description();
    return;
  }
  description_ = read_folder_description(folder);
  weights_.emplace(folder);
  if (!description_.family.empty()) {
    complete_description();
  }
}

void ModelFolder::verify(ThreadPool* pool) const {
  // Read after the weights were opened: a manifest knows the file that it replaces, not the next.
  const std::optional<Manifest> manifest = Manifest::find(folder_);
  if (manifest && marian_) {
    const FileChecksum sum = marian_->file().checksum();
    check_listed(*manifest, marian_->file().path(), static_cast<std::uint64_t>(sum.bytes),
                 [&] { return sum; });
  } else if (manifest) {
    for (const SafetensorsFile& file : weights_->files()) {
      check_listed(*manifest, file.path(), file.size(), [&] { return file.checksum(pool); });
    }
  }
}

std::vector<std::string> ModelFolder::names_of(const std::string& parameter) const {
  const HfFamily* family = find_family(description_.family);
  std::vector<std::string> names =
      huggingface_names(parameter, family != nullptr ? *family : marian_family());
  if (family == nullptr) {
    names.insert(names.begin(), parameter);
  }
  return names;
}

std::optional<NamedArray> ModelFolder::find(const std::string& parameter) const {
  if (marian_) {
    return marian_->find(parameter);
  }
  for (const std::string& name : names_of(parameter)) {
    if (auto found = weights_->find(name)) {
      found->name = parameter;
      if (parameter == "projection.bias") {
        found->shape = Shape{found->shape.elements()};
      } else if (parameter.ends_with(".positions.weight") && !description_.family.empty()) {
        skip_positions(*found);
      }
      return found;
    }
  }
  return std::nullopt;
}

// The first rows of a foreign table of learned positions belong to none.
void ModelFolder::skip_positions(NamedArray& table) const {
  const std::int64_t skipped = description_.first_position;
  if (table.shape.rank() == 2 && table.shape[0] > skipped) {
    table = table.without_rows(skipped);
  }
}

NamedArray ModelFolder::get(const std::string& parameter, const Shape& shape) const {
  const std::optional<NamedArray> found = find(parameter);
  if (!found) {
    const std::vector<std::string> names = names_of(parameter);
    fail<FormatError>("{}: the weights have no tensor '{}'{}", folder_.string(), parameter,
                      names.empty() ? "" : fmt::format(" (or '{}')", names.back()));
  }
  if (parameter == "projection.bias" && found->shape.elements() == shape.elements() + 1) {
    NamedArray without_pad = *found;  // files have a bias for <pad>, models that bar it do not
    without_pad.shape = shape;
    return without_pad;
  }
  check<FormatError>(found->shape == shape, "{}: tensor '{}' has shape {}, not {}",
                     folder_.string(), parameter, found->shape, shape);
  return *found;
}

// What only the weights say: whether there is a bias on the logits, whether T5's projection is its
// own, whether sinusoids lie with the weights. A bias that only bars the last id is how yona's own
// models are exported.
void ModelFolder::complete_description() {
  if (description_.positions == "sinusoidal" && find("encoder.positions.weight") &&
      find("decoder.positions.weight")) {
    description_.positions = "learned";
  }
  if (description_.tying == "all" && has_own_projection()) {
    description_.tying = "inputs";
  }
  const std::optional<NamedArray> bias =
      description_.projection_bias ? find("projection.bias") : std::nullopt;
  const std::vector<float> values = bias ? floats_of(*bias) : std::vector<float>();
  const auto used = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](float value) { return value != 0; }));
  const bool bars_last =
      used == 1 && values.back() <= kBarred && description_.pad() == description_.target_vocab - 1;
  description_.projection_bias = used > 0 && !bars_last;
  if (bars_last) {
    description_.padding = "barred";
  }
}

bool ModelFolder::has_own_projection() const {
  const auto shared = find("shared.weight");
  const auto own = find("projection.weight");
  return shared && own && shared->bytes() == own->bytes() && !equal_arrays(*shared, *own);
}

}  // namespace yona
