#include "yona/io/weight_copy.h"

#include <cstring>

#include "yona/base/error.h"

namespace yona {

namespace {

template <class Convert>
void widen(const void* from, float* to, std::size_t count, const Convert& convert) {
  const auto* bytes = static_cast<const char*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t word = 0;  // files need not be aligned
    std::memcpy(&word, bytes, sizeof(word));
    to[i] = convert(word);
    bytes += sizeof(word);
  }
}

}  // namespace

void copy_floats(float* to, std::size_t count, const void* from, DType type,
                 std::string_view name) {
  switch (type) {
    case DType::f32:
      std::memcpy(to, from, count * sizeof(float));
      return;
    case DType::f16:
      widen(from, to, count, from_f16);
      return;
    case DType::bf16:
      widen(from, to, count, from_bf16);
      return;
    default:
      fail<FormatError>("tensor '{}' is {}; weights are read in f32, f16 and bf16", name, type);
  }
}

void copy_weights(const Tensor& to, const void* from, DType type, std::string_view name) {
  if (type == DType::f32) {
    to.upload_bytes(from, to.elements() * static_cast<std::int64_t>(sizeof(float)));
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(to.elements()));
  copy_floats(values.data(), values.size(), from, type, name);
  to.upload(values);
}

std::vector<float> floats_of(const NamedArray& array) {
  std::vector<float> values(static_cast<std::size_t>(array.shape.elements()));
  copy_floats(values.data(), values.size(), array.data, array.dtype, array.name);
  return values;
}

}  // namespace yona
