#include "yona/io/lazy_weights.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "yona/backend/backend.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

const float* begin_of(const Tensor& tensor) { return static_cast<const float*>(tensor.raw()); }

}  // namespace

bool is_read_late(std::string_view name) {
  constexpr std::array<std::string_view, 10> kEndings = {
      "query.weight", "key.weight",   "value.weight",  "output.weight",    "inner.weight",
      "gate.weight",  "outer.weight", "shared.weight", "embedding.weight", "projection.weight"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Of a transposed array a few of its rows, which are columns of the parameter, are read at a time.
void WeightSource::copy(const Shape& shape, std::int64_t begin, std::int64_t count,
                        float* to) const {
  const std::int64_t columns = shape.rank() == 1 ? 1 : shape[1];
  if (!transposed || columns == 1) {
    copy_floats(to, static_cast<std::size_t>(count), from, first * columns + begin);
    return;
  }
  constexpr std::int64_t kAtOnce = 64;
  const std::int64_t width = from.shape.back();
  const std::int64_t rows = count / columns;
  std::vector<float> slab(static_cast<std::size_t>(std::min(kAtOnce, columns) * width));
  for (std::int64_t column = 0; column < columns; column += kAtOnce) {
    const std::int64_t some = std::min(kAtOnce, columns - column);
    copy_floats(slab.data(), static_cast<std::size_t>(some * width), from, column * width);
    for (std::int64_t row = 0; row < rows; ++row) {
      const float* source = slab.data() + first + begin / columns + row;
      for (std::int64_t j = 0; j < some; ++j) {
        to[row * columns + column + j] = source[j * width];
      }
    }
  }
}

namespace {

std::vector<WeightSource> sources_of(const ModelFolder& folder, const Parameters& parameters) {
  folder.verify(parameters.weights().storage()->region->backend().exec().pool);
  std::vector<WeightSource> sources;
  for (const Parameters::Entry& entry : parameters.entries()) {
    sources.push_back({folder.get(entry.name, entry.value.shape())});
  }
  return sources;
}

}  // namespace

LazyWeights::LazyWeights(const std::filesystem::path& folder, const Parameters& parameters) {
  const auto file = std::make_shared<const ModelFolder>(folder);
  *this = LazyWeights(parameters, sources_of(*file, parameters), file);
}

LazyWeights::LazyWeights(const Parameters& parameters, std::vector<WeightSource> sources,
                         std::shared_ptr<const void> files)
    : files_(std::move(files)) {
  std::size_t next = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const bool is_late = is_read_late(entry.name);
    weights_.push_back({entry.value, std::move(sources.at(next++)), is_late});
    if (!is_late) {
      copy(weights_.back());
    }
  }
  std::sort(weights_.begin(), weights_.end(),
            [](const Weight& a, const Weight& b) { return a.to.raw() < b.to.raw(); });
}

DType LazyWeights::half_type() const {
  DType type = DType::f32;
  for (const Weight& weight : weights_) {
    const DType own = weight.from.from.dtype;
    if (weight.is_late && (size_of(own) != 2 || (type != DType::f32 && own != type))) {
      return DType::f32;
    }
    type = weight.is_late ? own : type;
  }
  return type;
}

void LazyWeights::read_all() {
  for (Weight& weight : weights_) {
    copy(weight);
  }
}

std::vector<LazyWeights::Weight>::const_iterator LazyWeights::first_after(
    const float* address) const {
  return std::partition_point(weights_.begin(), weights_.end(), [&](const Weight& each) {
    return begin_of(each.to) + each.to.elements() <= address;
  });
}

void LazyWeights::read(const Tensor& part) {
  const float* end = begin_of(part) + part.elements();
  auto weight = weights_.begin() + (first_after(begin_of(part)) - weights_.cbegin());
  for (; weight != weights_.end() && begin_of(weight->to) < end; ++weight) {
    copy(*weight);
  }
}

void LazyWeights::copy_to(const Tensor& part, float* to) const {
  const float* begin = begin_of(part);
  const float* end = begin + part.elements();
  for (auto weight = first_after(begin); begin < end; ++weight) {
    const float* first = begin_of(weight->to);
    const float* last = std::min(end, first + weight->to.elements());
    weight->from.copy(weight->to.shape(), begin - first, last - begin, to);
    to += last - begin;
    begin = last;
  }
}

// In pieces of whole rows, so that threads share the work.
void LazyWeights::copy(Weight& weight) const {
  if (weight.is_read) {
    return;
  }
  constexpr std::int64_t kPiece = 1 << 18;
  const Shape& shape = weight.to.shape();
  const std::int64_t columns = shape.rank() == 1 ? 1 : shape[1];
  const std::int64_t piece = std::max<std::int64_t>(kPiece / columns, 1) * columns;
  const std::int64_t elements = weight.to.elements();
  Backend& backend = weight.to.storage()->region->backend();
  const auto copy_piece = [&](std::int64_t index) {
    const std::int64_t begin = index * piece;
    const std::int64_t count = std::min(piece, elements - begin);
    const Tensor part = weight.to.slice(begin, Shape{count});
    if (backend.on_host()) {
      weight.from.copy(shape, begin, count, part.data<float>());
    } else {
      std::vector<float> values(static_cast<std::size_t>(count));
      weight.from.copy(shape, begin, count, values.data());
      part.upload(values);
    }
  };
  const std::int64_t pieces = (elements + piece - 1) / piece;
  if (backend.on_host()) {
    backend.exec().pool->run(pieces, copy_piece);
  } else {
    for (std::int64_t index = 0; index < pieces; ++index) {
      copy_piece(index);
    }
  }
  weight.is_read = true;
}

}  // namespace yona
