#include "yona/data/images/picture_folder.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "yona/base/error.h"

namespace yona {

namespace fs = std::filesystem;

namespace {

bool is_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

// What `walk` throws of the file system, as IoError naming the folder.
template <class Walk>
void walk_folder(const fs::path& folder, const Walk& walk) {
  try {
    walk();
  } catch (const fs::filesystem_error& error) {
    fail<IoError>("{}: cannot read the folder: {}", folder.string(), error.code().message());
  }
}

std::vector<fs::path> pictures_below(const fs::path& folder) {
  std::vector<fs::path> files;
  walk_folder(folder, [&] {
    const auto options = fs::directory_options::follow_directory_symlink;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, options)) {
      if (entry.is_regular_file() && is_picture_name(entry.path())) {
        files.push_back(entry.path());
      }
    }
  });
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return files;
}

}  // namespace

PictureFolder list_pictures(const fs::path& folder) {
  PictureFolder listed{folder};
  walk_folder(folder, [&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) {
        listed.classes.push_back(entry.path().filename().string());
      }
    }
  });
  check<FormatError>(!listed.classes.empty(),
                     "{}: has no sub-folders; pictures are read from one sub-folder for each class",
                     folder.string());
  std::sort(listed.classes.begin(), listed.classes.end());
  for (std::size_t label = 0; label < listed.classes.size(); ++label) {
    const fs::path below = folder / listed.classes[label];
    const std::vector<fs::path> files = pictures_below(below);
    check<FormatError>(!files.empty(), "{}: has no .png, .jpg or .jpeg files", below.string());
    for (const fs::path& path : files) {
      listed.files.push_back({path, static_cast<std::int32_t>(label)});
    }
  }
  return listed;
}

LabelledImages read_pictures(const PictureFolder& folder, const std::vector<std::string>& labels,
                             const ImageShape& shape, const ImageProcessor& processor,
                             ThreadPool* pool) {
  std::vector<std::int32_t> numbers;
  for (const std::string& name : folder.classes) {
    const auto found = std::find(labels.begin(), labels.end(), name);
    check<FormatError>(found != labels.end(),
                       "{}: the label is unknown; those of the training data are {}",
                       (folder.folder / name).string(), fmt::join(labels, ", "));
    numbers.push_back(static_cast<std::int32_t>(found - labels.begin()));
  }
  LabelledImages images{.name = folder.folder.string(), .shape = shape};
  const auto each = static_cast<std::size_t>(shape.elements());
  images.pixels.resize(folder.files.size() * each);
  for (const PictureFolder::File& file : folder.files) {
    images.labels.push_back(numbers[static_cast<std::size_t>(file.label)]);
  }
  const auto read_one = [&](std::int64_t i) {
    const auto number = static_cast<std::size_t>(i);
    const fs::path& path = folder.files[number].path;
    const Picture read = read_picture(path);
    check<FormatError>(processor.resizes || processor.crop_height > 0 ||
                           (read.shape.height == shape.height && read.shape.width == shape.width),
                       "{}: has {} × {} pixels, others {} × {}; data.image_size says how large all "
                       "are to be made",
                       path.string(), read.shape.height, read.shape.width, shape.height,
                       shape.width);
    const Picture ready = prepared(read, processor, shape, path.string());
    std::copy(ready.pixels.begin(), ready.pixels.end(),
              images.pixels.begin() + static_cast<std::ptrdiff_t>(number * each));
  };
  const auto count = static_cast<std::int64_t>(folder.files.size());
  if (pool != nullptr) {
    pool->run(count, read_one);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      read_one(i);
    }
  }
  return images;
}

}  // namespace yona
