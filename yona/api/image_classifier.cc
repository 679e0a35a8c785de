#include "yona/api/image_classifier.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/data/images/idx.h"
#include "yona/decode/compute_type.h"
#include "yona/decode/worker_backends.h"
#include "yona/encode/image_model.h"
#include "yona/io/model_kind.h"

namespace yona {

// A backend, and the model on it.
class ImageRuntime {
 public:
  ImageRuntime(const std::filesystem::path& folder, const WorkerChoice& workers,
               const ComputeType& type)
      : workers_(worker_backends(workers)),
        model_(ImageModel::load(folder, *workers_.backends.front(), type.packing, type.precision)) {
  }

  ImageModel& model() { return *model_; }

 private:
  WorkerBackends workers_;
  std::unique_ptr<ImageModel> model_;
};

namespace {

constexpr std::size_t kPicturesAtOnce = 64;  // decoded ones in memory

// Pictures wait here until there are enough of them for the model.
class ImageQueue {
 public:
  explicit ImageQueue(ImageModel& model) : model_(model) {}

  void add(std::string name, Picture picture) {
    waiting_.push_back({std::move(name), std::move(picture)});
    if (waiting_.size() == kPicturesAtOnce) {
      run();
    }
  }
  std::vector<ClassifiedImage> finish() {
    run();
    return std::move(answers_);
  }

 private:
  void run() {
    auto labels = model_.classify(waiting_);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      answers_.push_back({std::move(waiting_[i].name), std::move(labels[i])});
    }
    waiting_.clear();
  }

  ImageModel& model_;
  std::vector<ImageModel::NamedPicture> waiting_;
  std::vector<ClassifiedImage> answers_;
};

void add_idx(const std::filesystem::path& file, ImageQueue& queue) {
  const LabelledImages images = read_idx_images(file);
  for (std::int64_t i = 0; i < images.count(); ++i) {
    Picture picture(images.shape);
    std::copy_n(images.image(static_cast<std::uint64_t>(i)), picture.pixels.size(),
                picture.pixels.data());
    queue.add(fmt::format("{}[{}]", file.string(), i + 1), std::move(picture));
  }
}

}  // namespace

ImageClassifier::ImageClassifier(std::unique_ptr<ImageRuntime> runtime)
    : runtime_(std::move(runtime)) {}
ImageClassifier::~ImageClassifier() = default;
ImageClassifier::ImageClassifier(ImageClassifier&& other) noexcept = default;
ImageClassifier& ImageClassifier::operator=(ImageClassifier&& other) noexcept = default;

ImageClassifier ImageClassifier::load(const std::filesystem::path& folder,
                                      const LoadOptions& options) {
  check(options.device == "cpu" || options.device == "cuda",
        "device: expected cpu or cuda, got '{}'", options.device);
  check_model_kind(folder, ModelKind::image, "this");
  return ImageClassifier(std::make_unique<ImageRuntime>(
      folder, WorkerChoice{options.device, options.threads, 1},
      choose_compute_type(options.compute_type, options.device, "compute_type")));
}

ImageClassifierDetails ImageClassifier::details() const {
  const ImageModel& model = runtime_->model();
  const VitConfig& config = model.info().config;
  return {.family = model.info().family,
          .labels = model.info().labels,
          .parameters = model.parameter_count(),
          .layers = config.layers,
          .d_model = config.d_model,
          .d_ff = config.d_ff,
          .heads = config.heads,
          .image_height = config.image_height,
          .image_width = config.image_width,
          .channels = config.channels,
          .patch = config.patch};
}

std::vector<ClassifiedImage> ImageClassifier::classify(
    const std::vector<std::filesystem::path>& files) const {
  ImageQueue queue(runtime_->model());
  for (const std::filesystem::path& file : files) {
    if (is_idx_file(file)) {
      add_idx(file, queue);
    } else {
      queue.add(file.string(), read_picture(file));
    }
  }
  return queue.finish();
}

bool ImageClassifier::is_image_classifier(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "config.json", error) &&
         read_model_kind(folder) == ModelKind::image;
}

ClassifiedImage ImageClassifier::classify_bytes(std::string_view bytes) const {
  constexpr const char* kName = "the picture";
  return {kName, runtime_->model().classify({{kName, decode_picture(bytes, kName)}}).front()};
}

ClassifiedImage ImageClassifier::classify_pixels(const ImagePixels& image) const {
  constexpr const char* kName = "the picture";
  check((image.channels == 1 || image.channels == 3) && image.height > 0 && image.width > 0,
        "{}: has {} × {} pixels and {} channels; expected some pixels, and 1 or 3 channels", kName,
        image.height, image.width, image.channels);
  Picture picture(ImageShape{image.height, image.width, image.channels});
  check(image.pixels.size() == picture.pixels.size(), "{}: has {} bytes; expected {}", kName,
        image.pixels.size(), picture.pixels.size());
  picture.pixels = image.pixels;
  return {kName, runtime_->model().classify({{kName, std::move(picture)}}).front()};
}

}  // namespace yona
