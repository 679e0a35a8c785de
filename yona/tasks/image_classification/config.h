// What a run of image classification trains on: the keys data.*.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yona {

struct ImagesConfig {
  std::vector<std::filesystem::path> train;
  std::filesystem::path valid;
  std::vector<std::string> labels;  // names of the classes; empty: their numbers
  // What is drawn in every epoch: see ImageAugmentation.
  std::int64_t crop_padding = 0;
  double mirror = 0.0;
  double erase = 0.0;
};

}  // namespace yona
