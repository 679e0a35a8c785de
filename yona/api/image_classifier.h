// A folder of an image classifier (ViT, DeiT, or what `yona train --task image-classification`
// wrote), loaded.
//
//   auto classifier = yona::ImageClassifier::load("folder");
//   std::string label = classifier.classify({"cat.jpg"})[0].labels[0].label;
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/api/model.h"
#include "yona/encode/encoder_answers.h"

namespace yona {

class ImageRuntime;  // the library's own

struct ClassifiedImage {
  std::string name;  // the file; of an IDX file with its number from 1: "t10k-images[7]"
  std::vector<LabelScore> labels{};  // the most probable first
};

// A picture in memory.
struct ImagePixels {
  std::int64_t height = 0, width = 0;
  std::int64_t channels = 3;           // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels{};  // [height, width, channels]
};

// What a folder says of its classifier.
struct ImageClassifierDetails {
  std::string family;  // "vit", "deit" or "yona-vit"
  std::vector<std::string> labels{};
  std::int64_t parameters = 0;
  std::int64_t layers = 0, d_model = 0, d_ff = 0, heads = 0;
  std::int64_t image_height = 0, image_width = 0, channels = 0, patch = 0;
};

// Calls from several threads are computed one after another. What cannot be done throws an Error
// (yona/base/error_kinds.h) whose what() is one line.
class ImageClassifier {
 public:
  // Throws IoError or FormatError naming the file, InvalidArgument naming the option. Languages and
  // the shortlist of the options are not used.
  static ImageClassifier load(const std::filesystem::path& folder, const LoadOptions& options = {});
  // Does the folder hold an image classifier? Throws FormatError for a config.json that cannot be
  // read.
  static bool is_image_classifier(const std::filesystem::path& folder);

  explicit ImageClassifier(std::unique_ptr<ImageRuntime> runtime);
  ~ImageClassifier();
  ImageClassifier(ImageClassifier&& other) noexcept;
  ImageClassifier& operator=(ImageClassifier&& other) noexcept;

  ImageClassifierDetails details() const;

  // PNG, JPEG and IDX files, the last with one answer for each picture, in order. Throws IoError or
  // FormatError naming the file.
  std::vector<ClassifiedImage> classify(const std::vector<std::filesystem::path>& files) const;
  // The content of a PNG or JPEG file. Throws FormatError.
  ClassifiedImage classify_bytes(std::string_view bytes) const;
  // Throws InvalidArgument for pixels that are not as many as height, width and channels say.
  ClassifiedImage classify_pixels(const ImagePixels& image) const;

 private:
  std::unique_ptr<ImageRuntime> runtime_;
};

}  // namespace yona
