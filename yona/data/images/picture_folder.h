// Folders of pictures with one sub-folder for each class, as torchvision's ImageFolder reads them:
//
//   pets/cat/1.jpg   pets/cat/more/2.png   pets/dog/3.jpeg
//
// Classes are in the order of their names' bytes. Files with other endings than .png, .jpg and
// .jpeg are not read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/images/image_processor.h"
#include "yona/data/images/labelled_images.h"

namespace yona {

struct PictureFolder {
  std::filesystem::path folder;
  std::vector<std::string> classes{};  // names of the sub-folders
  struct File {
    std::filesystem::path path;
    std::int32_t label = 0;  // among `classes`
  };
  std::vector<File> files{};  // class by class, each in the order of their paths
};

// Throws IoError when the folder cannot be read, FormatError naming it when it has no sub-folders,
// and naming a sub-folder without pictures.
PictureFolder list_pictures(const std::filesystem::path& folder);

// How pictures are read: in which size, by which threads (null: the calling one), and how many
// bytes of them are kept in memory. The others are read again whenever they are needed.
struct PictureReading {
  ImageShape shape{};
  ImageProcessor processor{};
  ThreadPool* pool = nullptr;
  std::int64_t memory = std::int64_t{1} << 62U;
};

// All pictures, each prepared as `reading` says, with numbers of classes as in `labels`. Every
// picture is read once, so that one that cannot be read is found now. Throws FormatError naming the
// file for what cannot be read, and for a class that `labels` lacks.
LabelledImages read_pictures(const PictureFolder& folder, const std::vector<std::string>& labels,
                             const PictureReading& reading);

}  // namespace yona
