// preprocessor_config.json of the hub's image models.
#pragma once

#include <string_view>

#include "yona/base/json.h"
#include "yona/data/images/image_processor.h"

namespace yona {

// What the file leaves out is as ViTImageProcessor has it: bilinear, to the model's size, mean and
// deviation 0.5. Throws FormatError naming `where`, the file, and the key.
ImageProcessor read_image_processor(const Json& json, std::string_view where,
                                    const ImageShape& shape);
// Of a processor that cuts nothing off.
Json write_image_processor(const ImageProcessor& processor);

}  // namespace yona
