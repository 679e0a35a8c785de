#include "yona/io/weight_copy.h"

#include <cstring>

#include "yona/base/error.h"

namespace yona {

namespace {

template <class Convert>
void widen(const void* from, std::vector<float>& to, const Convert& convert) {
  const auto* bytes = static_cast<const char*>(from);
  for (float& value : to) {
    std::uint16_t word = 0;  // files need not be aligned
    std::memcpy(&word, bytes, sizeof(word));
    value = convert(word);
    bytes += sizeof(word);
  }
}

void fill_floats(const void* from, DType type, std::string_view name, std::vector<float>& to) {
  switch (type) {
    case DType::f32:
      std::memcpy(to.data(), from, to.size() * sizeof(float));
      return;
    case DType::f16:
      widen(from, to, from_f16);
      return;
    case DType::bf16:
      widen(from, to, from_bf16);
      return;
    default:
      fail<FormatError>("tensor '{}' is {}; weights are read in f32, f16 and bf16", name, type);
  }
}

}  // namespace

void copy_weights(const Tensor& to, const void* from, DType type, std::string_view name) {
  if (type == DType::f32) {
    to.upload_bytes(from, to.elements() * static_cast<std::int64_t>(sizeof(float)));
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(to.elements()));
  fill_floats(from, type, name, values);
  to.upload(values);
}

std::vector<float> floats_of(const NamedArray& array) {
  std::vector<float> values(static_cast<std::size_t>(array.shape.elements()));
  fill_floats(array.data, array.dtype, array.name, values);
  return values;
}

}  // namespace yona
