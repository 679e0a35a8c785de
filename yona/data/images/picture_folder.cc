#include "yona/data/images/picture_folder.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "yona/base/error.h"
#include "yona/data/cache_key.h"
#include "yona/data/images/late_pictures.h"
#include "yona/data/images/picture.h"

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

// While pictures that are not kept are first read.
constexpr std::int64_t kBytesAtOnce = std::int64_t{1} << 24U;

std::uint64_t checksum_of(const std::vector<std::uint8_t>& bytes) {
  return checksum({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// The files of a folder, with a checksum of each picture as it was first read: a run that reads
// another one later would not have the bits of a run that keeps all.
class FolderPictures : public LatePictures {
 public:
  FolderPictures(const PictureFolder& folder, const PictureReading& reading)
      : files_(folder.files),
        shape_(reading.shape),
        processor_(reading.processor),
        checksums_(files_.size()) {}

  void read_first(std::int64_t i, std::uint8_t* to) {
    const auto number = static_cast<std::size_t>(i);
    const Picture picture = ready(files_[number].path);
    checksums_[number] = checksum_of(picture.pixels);
    std::copy(picture.pixels.begin(), picture.pixels.end(), to);
  }

  void read(std::uint64_t i, std::uint8_t* to) const override {
    const auto number = static_cast<std::size_t>(i);
    const Picture picture = ready(files_[number].path);
    check<FormatError>(checksum_of(picture.pixels) == checksums_[number],
                       "{}: changed since the run read it first; a run needs the same pictures "
                       "until it ends",
                       files_[number].path.string());
    std::copy(picture.pixels.begin(), picture.pixels.end(), to);
  }

 private:
  Picture ready(const fs::path& path) const {
    const Picture read = read_picture(path);
    check<FormatError>(processor_.resizes || processor_.crop_height > 0 ||
                           (read.shape.height == shape_.height && read.shape.width == shape_.width),
                       "{}: has {} × {} pixels, others {} × {}; data.image_size says how large all "
                       "are to be made",
                       path.string(), read.shape.height, read.shape.width, shape_.height,
                       shape_.width);
    return prepared(read, processor_, shape_, path.string());
  }

  std::vector<PictureFolder::File> files_;
  ImageShape shape_;
  ImageProcessor processor_;
  std::vector<std::uint64_t> checksums_;
};

// Of each picture, among `labels`.
std::vector<std::int32_t> label_numbers(const PictureFolder& folder,
                                        const std::vector<std::string>& labels) {
  std::vector<std::int32_t> classes;
  for (const std::string& name : folder.classes) {
    const auto found = std::find(labels.begin(), labels.end(), name);
    check<FormatError>(found != labels.end(),
                       "{}: the label is unknown; those of the training data are {}",
                       (folder.folder / name).string(), fmt::join(labels, ", "));
    classes.push_back(static_cast<std::int32_t>(found - labels.begin()));
  }
  std::vector<std::int32_t> numbers;
  numbers.reserve(folder.files.size());
  for (const PictureFolder::File& file : folder.files) {
    numbers.push_back(classes[static_cast<std::size_t>(file.label)]);
  }
  return numbers;
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
                             const PictureReading& reading) {
  LabelledImages images{.name = folder.folder.string(), .shape = reading.shape};
  images.labels = label_numbers(folder, labels);
  const auto files = std::make_shared<FolderPictures>(folder, reading);
  const std::int64_t count = static_cast<std::int64_t>(folder.files.size());
  const std::int64_t each = reading.shape.elements();
  const std::int64_t kept = std::min(count, reading.memory / each);
  images.pixels.resize(static_cast<std::size_t>(kept * each));
  images.late = kept < count ? files : nullptr;
  PixelSummary& summary = images.summary.emplace();
  const std::int64_t at_once = std::max<std::int64_t>(
      reading.pool != nullptr ? reading.pool->threads() : 1, kBytesAtOnce / each);
  std::vector<std::uint8_t> others;
  for (std::int64_t begin = 0; begin < count;) {
    const bool is_kept = begin < kept;
    const std::int64_t end = std::min(is_kept ? kept : count, begin + at_once);
    others.resize(is_kept ? 0 : static_cast<std::size_t>((end - begin) * each));
    std::uint8_t* to = is_kept ? images.pixels.data() + begin * each : others.data();
    for_each_picture(end - begin, reading.pool,
                     [&](std::int64_t i) { files->read_first(begin + i, to + i * each); });
    summary.add({to, static_cast<std::size_t>((end - begin) * each)}, reading.shape.channels);
    begin = end;
  }
  return images;
}

}  // namespace yona
