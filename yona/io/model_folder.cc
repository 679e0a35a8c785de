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
                     "{}: is not a model folder: it has neither config.json nor an .npz of Marian",
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
  if (family == nullptr) {  // yona's own config.json says what is tied: no other name is tried
    if (parameter != "shared.weight" && names.size() > 1) {
      names.resize(1);
    }
    names.insert(names.begin(), parameter);
  }
  return names;
}

std::optional<NamedArray> ModelFolder::find(const std::string& parameter) const {
  if (marian_) {
    return marian_->find(parameter);
  }
  // A family's shared matrix is unused where both stacks have their own.
  const bool is_shared = parameter == "shared.weight" && !description_.family.empty();
  for (const std::string& name : names_of(is_shared ? "encoder.embedding.weight" : parameter)) {
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
  const std::int64_t skipped = description_.config.departures.first_position;
  if (table.shape.rank() == 2 && table.shape[0] > skipped) {
    table = table.without_rows(skipped);
  }
}

NamedArray ModelFolder::get(const std::string& parameter, const Shape& shape) const {
  const std::optional<NamedArray> found = find(parameter);
  if (!found) {
    const std::vector<std::string> names = names_of(parameter);
    const bool is_foreign = !description_.family.empty();
    fail<FormatError>(
        "{}: the weights have no tensor '{}'{}", folder_.string(), parameter,
        names.empty() ? "" : fmt::format(" (or '{}')", is_foreign ? names.front() : names.back()));
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

// What only the weights say: which embeddings are one, whether there is a bias on the logits,
// whether sinusoids lie with the weights. A bias that only bars the last id is how yona's own
// models are exported.
void ModelFolder::complete_description() {
  if (description_.config.positions == PositionKind::sinusoidal &&
      find("encoder.positions.weight") && find("decoder.positions.weight")) {
    description_.config.positions = PositionKind::learned;
  }
  complete_tying();
  const std::optional<NamedArray> bias =
      description_.config.departures.projection_bias ? find("projection.bias") : std::nullopt;
  const std::vector<float> values = bias ? floats_of(*bias) : std::vector<float>();
  const auto used = static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](float value) { return value != 0; }));
  const bool bars_last = used == 1 && values.back() <= kBarred &&
                         description_.pad() == description_.config.target_vocabulary - 1;
  description_.config.departures.projection_bias = used > 0 && !bars_last;
  if (bars_last) {
    description_.config.departures.padding = Padding::barred;
  }
}

// Where config.json ties matrices, transformers leaves those alone that the file holds with other
// values. Where it does not, each must be there; but transformers 4 wrote the inputs of both stacks
// as one. Equal inputs are one, too: that is how they are written, once for each use.
void ModelFolder::complete_tying() {
  const auto encoder = find("encoder.embedding.weight");
  const auto decoder = find("decoder.embedding.weight");
  const auto projection = find("projection.weight");
  if (!encoder || !decoder || !projection) {
    return;  // get() says so
  }
  Tying& tying = description_.config.tying;
  if (tying == Tying::none) {
    check_untied("projection.weight", Fallback::none);
  }
  if (tying != Tying::all) {
    check_untied("encoder.embedding.weight", Fallback::shared);
  }
  if (tying == Tying::none) {
    check_untied("decoder.embedding.weight", Fallback::shared);
    tying = equal_arrays(*encoder, *decoder) ? Tying::inputs : Tying::none;
    return;
  }
  const bool one_input = tying == Tying::all && equal_arrays(*encoder, *decoder);
  const bool one_target = equal_arrays(*decoder, *projection);
  tying = one_input ? (one_target ? Tying::all : Tying::inputs)
                    : (one_target ? Tying::target : Tying::none);
}

void ModelFolder::check_untied(const std::string& parameter, Fallback fallback) const {
  const std::vector<std::string> names = names_of(parameter);
  check<FormatError>(
      weights_->find(names[0]) || (fallback == Fallback::shared && weights_->find(names[1])),
      "{}: the weights have no tensor '{}', and config.json does not tie it to another",
      folder_.string(), names[0]);
}

}  // namespace yona
