// What is done to a picture before a model sees it, as preprocessor_config.json of the hub says:
// resize, cut out the middle, rescale, normalise.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/data/images/patches.h"
#include "yona/data/images/picture.h"
#include "yona/data/images/resize.h"

namespace yona {

struct ImageProcessor {
  bool resizes = true;
  // Both sides, or 0 and the length of the shorter one: the other keeps the proportions.
  std::int64_t height = 224, width = 224;
  std::int64_t shortest_side = 0;
  Resample resample = Resample::bilinear;
  std::int64_t crop_height = 0, crop_width = 0;  // 0: nothing is cut off
  ImageNormalisation normalisation{};
};

// A picture of `shape`, in bytes: grey or in colour, resized, and its middle cut out. Throws
// InvalidArgument naming `name` when the processor leaves another size than the model takes.
Picture prepared(const Picture& picture, const ImageProcessor& processor, const ImageShape& shape,
                 std::string_view name);

}  // namespace yona
