// The pictures of a run: IDX files or folders, with their labels and the size that they are read
// in.
#pragma once

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

// `started` is the model that the run begins or goes on with; null: a new one. Pictures of folders
// are made as large as it takes them, or as data.image_size says. Throws IoError or FormatError
// naming the file, InvalidArgument naming the key.
TrainingPictures read_training_pictures(const ImagesConfig& config, const ImageModelInfo* started,
                                        ThreadPool* pool);

// data.valid, for that model.
LabelledImages read_valid_pictures(const std::filesystem::path& valid, const ImageModelInfo& info,
                                   ThreadPool* pool);

// The files that are recorded with a run: pictures and labels, or a folder as a whole.
std::vector<std::filesystem::path> picture_files(const ImagesConfig& config);
Json recorded_pictures(const ImagesConfig& config, const std::vector<LabelledImages>& files);

}  // namespace yona
