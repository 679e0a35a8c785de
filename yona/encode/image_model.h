// An image classifier's folder, ready to run: pictures in, labels out. Behind `yona classify
// --image`.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "yona/data/images/picture.h"
#include "yona/encode/encoder_answers.h"
#include "yona/encode/image_runner.h"
#include "yona/io/cpu_weights.h"
#include "yona/io/image_folder.h"
#include "yona/io/translation_model.h"
#include "yona/nn/parameters.h"

namespace yona {

class ImageModel {
 public:
  // Throws IoError or FormatError naming the file, InvalidArgument for a model without a
  // classifier. The backend must outlive the model.
  static std::unique_ptr<ImageModel> load(const std::filesystem::path& folder, Backend& backend,
                                          Packing packing = Packing::yes,
                                          Precision precision = Precision::f32);

  const ImageModelInfo& info() const { return info_; }
  std::int64_t parameter_count() const { return parameters_.count(); }

  // The labels of each picture with their probabilities, the most probable first. Pictures have any
  // size; names are for messages.
  struct NamedPicture {
    std::string name;
    Picture picture;
  };
  std::vector<std::vector<LabelScore>> classify(const std::vector<NamedPicture>& pictures);

 private:
  ImageModel(ImageModelInfo info, Backend& backend, Precision precision);

  ImageModelInfo info_;
  Vit model_;
  Parameters parameters_;
  CpuWeights weights_;
  PatchMaker patches_;
  ImageRunner runner_;
  std::mutex mutex_;  // one forward pass at a time
};

}  // namespace yona
