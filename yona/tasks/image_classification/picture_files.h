// The pictures of a run: IDX files or folders, with their labels and the size that they are read
// in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/base/thread_pool.h"
#include "yona/data/images/image_processor.h"
#include "yona/data/images/labelled_images.h"
#include "yona/io/image_folder.h"
#include "yona/tasks/image_classification/config.h"

namespace yona {

struct TrainingPictures {
  std::vector<LabelledImages> files{};  // one for each of data.train
  std::vector<std::string> labels{};
};

// Which threads read pictures, and how many bytes of those of folders may still be kept in memory.
struct PictureMemory {
  ThreadPool* pool = nullptr;
  std::int64_t bytes = std::int64_t{1} << 62U;

  void take(const LabelledImages& images);
};

// data.memory_mb; auto is a quarter of what this process may have.
PictureMemory picture_memory(const ImagesConfig& config, ThreadPool* pool);

// `started` is the model that the run begins or goes on with; null: a new one. Pictures of folders
// are made as large as it takes them, or as data.image_size says. What is kept is taken from
// `memory`. Throws IoError or FormatError naming the file, InvalidArgument naming the key.
TrainingPictures read_training_pictures(const ImagesConfig& config, const ImageModelInfo* started,
                                        PictureMemory& memory);

// data.valid, for that model.
LabelledImages read_valid_pictures(const std::filesystem::path& valid, const ImageModelInfo& info,
                                   const PictureMemory& memory);

// The files that are recorded with a run: pictures and labels, or a folder as a whole.
std::vector<std::filesystem::path> picture_files(const ImagesConfig& config);
Json recorded_pictures(const ImagesConfig& config, const std::vector<LabelledImages>& files);

}  // namespace yona
