#include "yona/io/weight_copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "yona/backend/backend.h"
#include "yona/base/error.h"

namespace yona {

namespace {

template <class Convert>
void widen(const NamedArray& from, std::size_t begin, float* to, std::size_t count,
           const Convert& convert) {
  std::vector<std::uint16_t> words(count);
  from.copy(begin, count * sizeof(std::uint16_t), words.data());
  std::transform(words.begin(), words.end(), to, convert);
}

std::string name_of_file(const NamedArray& array) {
  return array.file == nullptr ? "" : array.file->path().string() + ": ";
}

}  // namespace

void copy_floats(float* to, std::size_t count, const NamedArray& from, std::int64_t first) {
  const std::size_t begin = static_cast<std::size_t>(first) * size_of(from.dtype);
  switch (from.dtype) {
    case DType::f32:
      from.copy(begin, count * sizeof(float), to);
      return;
    case DType::f16:
      widen(from, begin, to, count, from_f16);
      return;
    case DType::bf16:
      widen(from, begin, to, count, from_bf16);
      return;
    default:
      fail<FormatError>("{}tensor '{}' is {}; weights are read in f32, f16 and bf16",
                        name_of_file(from), from.name, from.dtype);
  }
}

void copy_weights(const Tensor& to, const NamedArray& from, std::int64_t first) {
  const auto count = static_cast<std::size_t>(to.elements());
  if (to.storage()->region->backend().on_host() && to.contiguous()) {
    copy_floats(to.data<float>(), count, from, first);
    return;
  }
  std::vector<float> values(count);
  copy_floats(values.data(), count, from, first);
  to.upload(values);
}

bool same_place(const NamedArray& a, const NamedArray& b) {
  return a.data == b.data && a.file == b.file && a.offset == b.offset;
}

bool equal_arrays(const NamedArray& a, const NamedArray& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) {
    return false;
  }
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  std::vector<char> left(std::min(kPiece, a.bytes()));
  std::vector<char> right(left.size());
  for (std::size_t begin = 0; begin < a.bytes() && !same_place(a, b); begin += kPiece) {
    const std::size_t count = std::min(kPiece, a.bytes() - begin);
    a.copy(begin, count, left.data());
    b.copy(begin, count, right.data());
    if (std::memcmp(left.data(), right.data(), count) != 0) {
      return false;
    }
  }
  return true;
}

std::vector<float> floats_of(const NamedArray& array) {
  std::vector<float> values(static_cast<std::size_t>(array.shape.elements()));
  copy_floats(values.data(), values.size(), array);
  return values;
}

}  // namespace yona
