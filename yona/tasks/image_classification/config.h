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
  std::int64_t image_size = 0;      // of a new model's pictures, from folders; 0: as they are
  bool grey = false;                // does a new model take folders of pictures in grey?
  std::int32_t memory_mb = 0;       // of pictures of folders that are kept; 0: see picture_files.h
  // What is drawn in every epoch: see ImageAugmentation.
  std::int64_t crop_padding = 0;
  double mirror = 0.0;
  double erase = 0.0;
  double crop_area = 1.0;
  std::int64_t rand_augment = 0;
  double rand_augment_magnitude = 9.0;
  double mixup = 0.0;
};

}  // namespace yona
