#include "yona/tasks/image_classification/picture_files.h"

#include <algorithm>
#include <set>

#include "yona/base/error.h"
#include "yona/base/memory_limit.h"
#include "yona/data/cache_key.h"
#include "yona/data/images/idx.h"
#include "yona/data/images/picture_folder.h"
#include "yona/tasks/task_record.h"

namespace yona {

namespace {

// As many as the largest label says, called by their numbers where no names are given.
std::vector<std::string> label_names(const std::vector<LabelledImages>& files,
                                     const std::vector<std::string>& given) {
  std::int32_t largest = 0;
  for (const LabelledImages& file : files) {
    largest = std::max(largest, *std::max_element(file.labels.begin(), file.labels.end()));
  }
  const auto count = static_cast<std::size_t>(largest) + 1;
  check(given.empty() || given.size() >= count,
        "data.labels: {} names, but the labels of data.train go from 0 to {}", given.size(),
        largest);
  if (!given.empty()) {
    return given;
  }
  check<FormatError>(count > 1, "data.train: every label is 0; there is nothing to learn");
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

// Those of all folders, in the order of their names where no order is given.
std::vector<std::string> class_names(const std::vector<PictureFolder>& folders,
                                     const std::vector<std::string>& given) {
  if (!given.empty()) {
    return given;
  }
  std::set<std::string> names;
  for (const PictureFolder& folder : folders) {
    names.insert(folder.classes.begin(), folder.classes.end());
  }
  check<FormatError>(names.size() > 1, "{}: has one sub-folder alone; there is nothing to learn",
                     folders.front().folder.string());
  return {names.begin(), names.end()};
}

struct Preparation {
  ImageShape shape{};
  ImageProcessor processor{};
};

Preparation preparation_of(const PictureFolder& folder, const ImagesConfig& config,
                           const ImageModelInfo* started) {
  const std::int64_t size = config.image_size;
  if (started != nullptr) {
    const ImageShape shape = image_shape(started->config);
    check(size == 0 || (size == shape.height && size == shape.width),
          "data.image_size: is {}, but the model takes {} × {} pixels", size, shape.height,
          shape.width);
    return {shape, started->processor};
  }
  Preparation preparation;
  preparation.processor.resizes = size > 0;
  preparation.shape =
      size > 0 ? ImageShape{size, size, 1} : read_picture(folder.files.front().path).shape;
  preparation.shape.channels = config.grey ? 1 : 3;
  preparation.processor.height = preparation.shape.height;
  preparation.processor.width = preparation.shape.width;
  return preparation;
}

std::string_view bytes_of(const auto& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values.front())};
}

bool has_folders(const ImagesConfig& config) {
  return std::filesystem::is_directory(config.train.front());
}

}  // namespace

void PictureMemory::take(const LabelledImages& images) {
  bytes -= static_cast<std::int64_t>(images.pixels.size());
}

PictureMemory picture_memory(const ImagesConfig& config, ThreadPool* pool) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  return {pool, config.memory_mb > 0 ? kMegabyte * config.memory_mb : memory_limit().bytes / 4};
}

TrainingPictures read_training_pictures(const ImagesConfig& config, const ImageModelInfo* started,
                                        PictureMemory& memory) {
  TrainingPictures pictures;
  if (!has_folders(config)) {
    for (const std::filesystem::path& path : config.train) {
      pictures.files.push_back(read_idx_images(path, idx_labels_of(path)));
    }
    pictures.labels = label_names(pictures.files, config.labels);
    return pictures;
  }
  std::vector<PictureFolder> folders;
  for (const std::filesystem::path& path : config.train) {
    folders.push_back(list_pictures(path));
  }
  pictures.labels = class_names(folders, config.labels);
  const Preparation preparation = preparation_of(folders.front(), config, started);
  for (const PictureFolder& folder : folders) {
    pictures.files.push_back(read_pictures(folder, pictures.labels,
                                           {.shape = preparation.shape,
                                            .processor = preparation.processor,
                                            .pool = memory.pool,
                                            .memory = memory.bytes}));
    memory.take(pictures.files.back());
  }
  return pictures;
}

LabelledImages read_valid_pictures(const std::filesystem::path& valid, const ImageModelInfo& info,
                                   const PictureMemory& memory) {
  if (!std::filesystem::is_directory(valid)) {
    return read_idx_images(valid, idx_labels_of(valid));
  }
  return read_pictures(list_pictures(valid), info.labels,
                       {.shape = image_shape(info.config),
                        .processor = info.processor,
                        .pool = memory.pool,
                        .memory = memory.bytes});
}

std::vector<std::filesystem::path> picture_files(const ImagesConfig& config) {
  std::vector<std::filesystem::path> files;
  files.reserve(2 * config.train.size());
  for (const std::filesystem::path& path : config.train) {
    files.push_back(path);
    if (!has_folders(config)) {
      files.push_back(idx_labels_of(path));
    }
  }
  return files;
}

Json recorded_pictures(const ImagesConfig& config, const std::vector<LabelledImages>& files) {
  if (!has_folders(config)) {
    return recorded_files(picture_files(config));
  }
  Json recorded = Json::array();
  for (const LabelledImages& file : files) {
    const std::uint64_t pixels =
        file.summary ? file.summary->crc64 : checksum(bytes_of(file.pixels));
    recorded.push_back(
        {{"file", std::filesystem::path(file.name).filename().string()},
         {"bytes", file.count() * file.shape.elements()},
         {"crc64", fmt::format("{:016x}", checksum(bytes_of(file.labels), pixels))}});
  }
  return recorded;
}

}  // namespace yona
