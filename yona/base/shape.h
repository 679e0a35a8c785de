// Shape: up to four 64-bit extents, held inline so that making a tensor allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents)
      : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}
  explicit Shape(std::span<const std::int64_t> extents) {
    check(extents.size() <= kMaxRank, "shape: rank {} is above the limit of {}", extents.size(),
          kMaxRank);
    for (const std::int64_t extent : extents) {
      check(extent >= 0, "shape: extent {} is negative", extent);
      extents_[static_cast<std::size_t>(rank_++)] = extent;
    }
  }

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t back() const { return rank_ == 0 ? 1 : (*this)[rank_ - 1]; }

  // Number of elements; a rank of 0 is a scalar with one.
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < rank_; ++axis) {
      product *= (*this)[axis];
    }
    return product;
  }

  // The product of all extents but the last: how many rows a kernel that works by row sees.
  std::int64_t rows() const {
    std::int64_t product = 1;
    for (int axis = 0; axis + 1 < rank_; ++axis) {
      product *= (*this)[axis];
    }
    return product;
  }

  bool operator==(const Shape&) const = default;

  std::string to_string() const {
    std::string text = "[";
    for (int axis = 0; axis < rank_; ++axis) {
      text += (axis == 0 ? "" : ", ") + std::to_string((*this)[axis]);
    }
    return text + "]";
  }

 private:
  std::array<std::int64_t, kMaxRank> extents_{};
  int rank_ = 0;
};

}  // namespace yona

template <>
struct fmt::formatter<yona::Shape> : fmt::formatter<std::string> {
  template <class FormatContext>
  auto format(const yona::Shape& shape, FormatContext& context) const {
    return fmt::formatter<std::string>::format(shape.to_string(), context);
  }
};
