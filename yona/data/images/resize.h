// Pictures of another size, with the arithmetic of Pillow's Image.resize: filters that widen with
// the reduction, columns first and then rows, whole numbers with 22 bits of fraction.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/data/images/picture.h"

namespace yona {

// By Pillow's numbers, which preprocessor_config.json has under "resample".
enum class Resample : std::uint8_t { nearest, lanczos, bilinear, bicubic, box, hamming };
constexpr std::array<std::string_view, 6> enum_names(Resample) {
  return {"nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"};
}

// height and width are at least 1.
Picture resized(const Picture& picture, std::int64_t height, std::int64_t width, Resample resample);

}  // namespace yona
