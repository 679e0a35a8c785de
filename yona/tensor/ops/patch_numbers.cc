#include "yona/tensor/ops/patch_numbers.h"

#include "yona/base/error.h"

namespace yona {

namespace {

template <class T>
Tensor uploaded_list(std::span<const T> values, DType dtype, const Shape& shape, Context& c) {
  Tensor tensor = c.empty(dtype, shape);
  tensor.upload_bytes(values.data(), static_cast<std::int64_t>(values.size_bytes()));
  return tensor;
}

}  // namespace

Tensor patch_numbers(const PatchBytes& pictures, Context& c) {
  const auto channels = static_cast<std::int64_t>(pictures.table.size());
  const std::int64_t width = channels * pictures.patch * pictures.patch;
  const std::int64_t values = pictures.patch_rows * pictures.patch_cols * width;
  const auto size = static_cast<std::int64_t>(pictures.bytes.size());
  const std::int64_t count = size / values;
  check(count * values == size,
        "patch_numbers: {} bytes are not whole pictures of {} patches with {} bytes each", size,
        values / width, width);
  check(pictures.other.empty() || pictures.other.size() == pictures.bytes.size(),
        "patch_numbers: {} bytes to be mixed with {}", pictures.other.size(), size);
  check(static_cast<std::int64_t>(pictures.changes.size()) == count * kPictureChanges,
        "patch_numbers: {} numbers describe the changes of {} pictures", pictures.changes.size(),
        count);
  const Shape shape{size / width, width};
  const std::span<const float> table(pictures.table.front().data(), pictures.table.size() * 256);
  const Tensor numbers = uploaded_list(table, DType::f32, Shape{channels, 256}, c);
  const Tensor changes =
      uploaded_list(pictures.changes, DType::f32, Shape{count, kPictureChanges}, c);
  const Tensor x = uploaded_list(pictures.bytes, DType::u8, shape, c);
  const Tensor other =
      pictures.other.empty() ? Tensor() : uploaded_list(pictures.other, DType::u8, shape, c);
  Tensor y = c.empty(c.activation_type(DType::f32), shape);
  c.kernels().patch_numbers({.x = x.view(),
                             .other = other ? other.view() : View{},
                             .y = y.view(),
                             .table = numbers.data<float>(),
                             .changes = changes.data<float>(),
                             .patch = pictures.patch,
                             .stride = pictures.stride,
                             .patch_rows = pictures.patch_rows,
                             .patch_cols = pictures.patch_cols},
                            c.exec());
  return y;
}

}  // namespace yona
