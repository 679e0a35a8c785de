// Values for tests: drawn from Philox, rounded to f32 so that f32 and f64 runs see the same
// numbers; and reading and writing any floating-point tensor, on any device, as doubles.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/tensor/tensor.h"

namespace yona::testing {

inline std::vector<double> random_values(std::int64_t count, std::uint64_t key, double low = -1.0,
                                         double high = 1.0) {
  RandomSequence random(key);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) {
    value = static_cast<double>(static_cast<float>(low + (high - low) * random.uniform()));
  }
  return values;
}

// All elements, row by row; the tensor may be strided.
inline std::vector<double> values_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::f64) {
    return tensor.to_vector<double>();
  }
  if (tensor.dtype() == DType::bf16) {
    std::vector<double> values;
    for (const std::uint16_t half : tensor.to_vector<std::uint16_t>()) {
      values.push_back(static_cast<double>(from_bf16(half)));
    }
    return values;
  }
  const std::vector<float> values = tensor.to_vector<float>();
  return {values.begin(), values.end()};
}

// Writes every element; the tensor may be strided.
template <class T, class Convert>
void upload_rows(const View& view, const std::vector<double>& values, Backend& backend,
                 const Convert& convert) {
  const auto cols = static_cast<std::size_t>(view.cols);
  std::vector<T> row(cols);
  for (std::int64_t i = 0; i < view.rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      row[j] = convert(values.at(static_cast<std::size_t>(i) * cols + j));
    }
    backend.upload(view.row<T>(i), row.data(), static_cast<std::int64_t>(cols * sizeof(T)));
  }
}

inline void set_values(const Tensor& tensor, const std::vector<double>& values) {
  Backend& backend = tensor.storage()->region->backend();
  if (tensor.dtype() == DType::f64) {
    upload_rows<double>(tensor.view(), values, backend, [](double x) { return x; });
  } else if (tensor.dtype() == DType::bf16) {
    upload_rows<std::uint16_t>(tensor.view(), values, backend,
                               [](double x) { return to_bf16(static_cast<float>(x)); });
  } else {
    upload_rows<float>(tensor.view(), values, backend,
                       [](double x) { return static_cast<float>(x); });
  }
}

inline Tensor tensor_of(const std::vector<double>& values, const Shape& shape, DType dtype,
                        Region& region) {
  Tensor tensor(region, dtype, shape);
  set_values(tensor, values);
  return tensor;
}

inline Tensor ids_of(const std::vector<std::int32_t>& ids, Region& region) {
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
  tensor.upload(ids);
  return tensor;
}

// Fills memory that the region will hand out with NaN (all bits set): what an op forgets to write
// then shows. Fresh pages are zero and would hide it.
inline void soil(Region& region, std::int64_t bytes) {
  const Tensor dirt(region, DType::u8, Shape{bytes});
  dirt.upload(std::vector<std::uint8_t>(static_cast<std::size_t>(bytes), 0xFF));
}

}  // namespace yona::testing
