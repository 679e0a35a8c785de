// RandAugment (Cubuk et al. 2020): a few operations, drawn from fourteen, change a picture with one
// strength. The operations have the arithmetic of Pillow, the strengths the ranges of torchvision,
// from 0 to 30.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/base/random.h"
#include "yona/data/images/picture.h"

namespace yona {

enum class PictureOperation : std::uint8_t {
  identity,
  auto_contrast,
  equalize,
  rotate,
  solarize,
  color,
  posterize,
  contrast,
  brightness,
  sharpness,
  shear_x,
  shear_y,
  translate_x,
  translate_y
};
constexpr std::array<std::string_view, 14> enum_names(PictureOperation) {
  return {"identity", "auto_contrast", "equalize",    "rotate",     "solarize",
          "color",    "posterize",     "contrast",    "brightness", "sharpness",
          "shear_x",  "shear_y",       "translate_x", "translate_y"};
}

// `strength` is that of the operation itself: degrees of rotate, the threshold of solarize, bits of
// posterize, pixels of translations, the tangent of shears, and the factor of color, contrast,
// brightness and sharpness, which 1 leaves as they are. What comes in from outside is black.
Picture changed(const Picture& picture, PictureOperation operation, double strength);

struct RandAugment {
  std::int64_t operations = 0;  // of each picture; 0: off
  double magnitude = 9;         // from 0 to 30
};
Picture rand_augmented(const Picture& picture, const RandAugment& options, RandomSequence& random);

}  // namespace yona
