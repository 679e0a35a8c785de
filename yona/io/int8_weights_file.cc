#include "yona/io/int8_weights_file.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>

#include "yona/backend/panels.h"
#include "yona/base/error.h"
#include "yona/io/checksums.h"
#include "yona/io/lazy_weights.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

constexpr std::string_view kValues = ".int8";
constexpr std::string_view kScales = ".scales";
constexpr std::string_view kSums = ".sums";

std::vector<std::string_view> split(std::string_view names) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('+', begin), names.size());
    parts.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A View of the file's content, which nothing writes to.
View content_view(const NamedArray& array, std::int64_t rows, std::int64_t cols) {
  return {
      const_cast<void*>(array.data),  // NOLINT(cppcoreguidelines-pro-type-const-cast): read only
      rows, cols, cols, array.dtype};
}

// What a matrix of these parameters would be called: all of them that lie inside it.
std::string joined_names(const QuantisedWeights::Matrix& matrix, const Parameters& parameters) {
  const std::int64_t end = matrix.offset + matrix.rows * matrix.cols;
  std::vector<std::pair<std::int64_t, std::string>> inside;
  for (const Parameters::Entry& entry : parameters.entries()) {
    if (entry.offset >= matrix.offset && entry.offset < end) {
      inside.emplace_back(entry.offset, entry.name);
    }
  }
  std::sort(inside.begin(), inside.end());
  std::string names;
  for (const auto& [offset, name] : inside) {
    names += (names.empty() ? "" : "+") + name;
  }
  return names;
}

}  // namespace

bool has_int8_weights(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kInt8File);
}

Int8WeightsFile::Int8WeightsFile(const std::filesystem::path& folder, const Parameters& parameters)
    : file_(folder / kInt8File, ReadWhen::now,
            parameters.weights().storage()->region->backend().exec().pool) {
  if (const std::optional<Manifest> manifest = Manifest::find(folder)) {
    check_listed(*manifest, file_.path(), file_.size(), [&] { return file_.checksum(); });
  }
  for (const NamedArray& array : file_.arrays()) {
    if (array.name.ends_with(kValues)) {
      find_matrix(array, parameters);
    } else if (!array.name.ends_with(kScales) && !array.name.ends_with(kSums)) {
      read_vector(array, parameters);
    }
  }
  check_complete(parameters);
}

void Int8WeightsFile::read_vector(const NamedArray& array, const Parameters& parameters) {
  const Parameters::Entry* entry = parameters.find(array.name);
  check<FormatError>(entry != nullptr && entry->value.shape() == array.shape,
                     "{}: tensor '{}' of shape {} is none of the model's", file_.path().string(),
                     array.name, array.shape);
  copy_weights(entry->value, array);
  found_ += array.shape.elements();
}

void Int8WeightsFile::find_matrix(const NamedArray& values, const Parameters& parameters) {
  const std::string path = file_.path().string();
  const std::string names = values.name.substr(0, values.name.size() - kValues.size());
  QuantisedWeights::Matrix matrix{.offset = -1};
  for (const std::string_view name : split(names)) {
    const Parameters::Entry* entry = parameters.find(name);
    check<FormatError>(entry != nullptr && entry->value.shape().rank() == 2,
                       "{}: tensor '{}' is none of the model's matrices", path, name);
    if (matrix.offset < 0) {
      matrix.offset = entry->offset;
      matrix.cols = entry->value.cols();
    }
    check<FormatError>(entry->offset == matrix.offset + matrix.rows * matrix.cols &&
                           entry->value.cols() == matrix.cols,
                       "{}: '{}' are not one matrix of the model", path, names);
    matrix.rows += entry->value.rows();
  }
  const std::int64_t panels = (matrix.rows + kPanelRows - 1) / kPanelRows;
  const auto part = [&](std::string_view ending, DType type, const Shape& shape) {
    const std::optional<NamedArray> found = file_.find(names + std::string(ending));
    check<FormatError>(found && found->dtype == type && found->shape == shape,
                       "{}: tensor '{}{}' is missing or not {} of shape {}", path, names, ending,
                       type, shape);
    return *found;
  };
  const Shape panel_shape{panels, int8_panel_size(matrix.cols)};
  const Shape row_shape{panels * kPanelRows};
  matrix.weights = {content_view(part(kValues, DType::i8, panel_shape), panels, panel_shape.back()),
                    content_view(part(kScales, DType::f32, row_shape), 1, row_shape.back()),
                    content_view(part(kSums, DType::i32, row_shape), 1, row_shape.back())};
  matrices_.push_back(matrix);
  found_ += matrix.rows * matrix.cols;
}

void Int8WeightsFile::check_complete(const Parameters& parameters) const {
  if (found_ == parameters.count()) {
    return;
  }
  for (const Parameters::Entry& entry : parameters.entries()) {
    const bool in_matrix = std::any_of(
        matrices_.begin(), matrices_.end(), [&](const QuantisedWeights::Matrix& matrix) {
          return entry.offset >= matrix.offset &&
                 entry.offset < matrix.offset + matrix.rows * matrix.cols;
        });
    check<FormatError>(in_matrix || file_.find(entry.name).has_value(),
                       "{}: the weights have no tensor '{}'", file_.path().string(), entry.name);
  }
}

void Int8WeightsFile::add_to(QuantisedWeights& weights) const {
  for (const QuantisedWeights::Matrix& matrix : matrices_) {
    weights.add(matrix);
  }
}

void write_int8_weights(const std::filesystem::path& path, const Parameters& parameters,
                        const QuantisedWeights& weights, UnusedMatrices unused) {
  const auto matrices = weights.matrices();
  std::vector<NamedArray> arrays;
  for (const auto& [offset, matrix] : matrices) {
    const std::string names = joined_names(matrix, parameters);
    const Int8Weights& bytes = matrix.weights;
    arrays.push_back({names + std::string(kValues), DType::i8,
                      Shape{bytes.values.rows, bytes.values.cols}, bytes.values.data});
    arrays.push_back(
        {names + std::string(kScales), DType::f32, Shape{bytes.scales.cols}, bytes.scales.data});
    arrays.push_back(
        {names + std::string(kSums), DType::i32, Shape{bytes.sums.cols}, bytes.sums.data});
  }
  for (const Parameters::Entry& entry : parameters.entries()) {
    const auto after = matrices.upper_bound(entry.offset);
    const bool in_matrix = after != matrices.begin() && [&, matrix = std::prev(after)->second] {
      return entry.offset < matrix.offset + matrix.rows * matrix.cols;
    }();
    if (!in_matrix) {
      check(unused == UnusedMatrices::keep || !is_read_late(entry.name),
            "int8 weights: '{}' is used by no product", entry.name);
      arrays.push_back({entry.name, DType::f32, entry.value.shape(), entry.value.raw()});
    }
  }
  constexpr std::size_t kLine = 64;  // of the cache: vectors are read in place
  write_safetensors(path, arrays, {{"format", "yona int8"}}, kLine);
}

}  // namespace yona
