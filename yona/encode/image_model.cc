#include "yona/encode/image_model.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/encode/label_scores.h"

namespace yona {

ImageModel::ImageModel(ImageModelInfo info, Backend& backend, Precision precision)
    : info_(std::move(info)),
      model_(info_.config),
      parameters_(model_, backend, Gradients::no),
      patches_(patch_grid(info_.config), info_.processor.normalisation),
      runner_(model_, backend, precision) {}

std::unique_ptr<ImageModel> ImageModel::load(const std::filesystem::path& folder, Backend& backend,
                                             Packing packing, Precision precision) {
  ImageModelInfo info = read_image_info(folder);
  check(info.config.labels > 0,
        "{}: the model has no classifier; `yona train --task image-classification --init` makes "
        "one",
        folder.string());
  std::unique_ptr<ImageModel> model(new ImageModel(std::move(info), backend, precision));
  model->weights_.open(folder, model->parameters_, packing,
                       [&] { read_image_weights(folder, model->info_, model->parameters_); });
  return model;
}

std::vector<std::vector<LabelScore>> ImageModel::classify(
    const std::vector<NamedPicture>& pictures) {
  const ImageShape shape = image_shape(info_.config);
  const std::lock_guard lock(mutex_);
  const auto logits =
      runner_.class_logits(pictures.size(), [&](std::size_t i, std::vector<float>& patches) {
        const NamedPicture& each = pictures[i];
        const Picture ready = prepared(each.picture, info_.processor, shape, each.name);
        patches_.append(ready.pixels.data(), {}, patches);
      });
  std::vector<std::vector<LabelScore>> answers;
  answers.reserve(logits.size());
  for (const std::vector<float>& row : logits) {
    answers.push_back(sorted_scores(probabilities(row), info_.labels));
  }
  return answers;
}

}  // namespace yona
