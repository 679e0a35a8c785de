// Does a model fit into the memory that the control group of this process may have? A process that
// takes more is killed without a message, so that is found out before the weights are read.
#pragma once

#include <filesystem>

#include "yona/io/translation_model.h"

namespace yona {

// Memory that the weights of a model take once all of them have been used. Int8 weights of a file
// are read as they are, and take its size.
std::int64_t weight_memory(const std::filesystem::path& folder, const TransformerConfig& config,
                           std::int64_t parameters, Packing packing);

// Throws DeviceError with both figures, and the way out where int8 is one.
void check_model_memory(const std::filesystem::path& folder, const TransformerConfig& config,
                        std::int64_t parameters, Packing packing);

}  // namespace yona
