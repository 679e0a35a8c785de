// `yona classify --image`: pictures in, labels out, in order.
#pragma once

#include <filesystem>
#include <vector>

#include "yona/cli/encoder_flags.h"

namespace yona::cli {

// One line for each picture. Throws as ImageClassifier does.
int classify_images(const EncoderFlags& flags, const std::vector<std::filesystem::path>& files);

}  // namespace yona::cli
