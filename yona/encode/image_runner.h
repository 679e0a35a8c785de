// Forward passes of an image classifier over many pictures, some at a time.
#pragma once

#include <functional>
#include <vector>

#include "yona/models/vit.h"
#include "yona/tensor/context.h"

namespace yona {

class ImageRunner {
 public:
  // The model is bound to weights on this backend; both must outlive this object.
  ImageRunner(const Vit& model, Backend& backend, Precision precision = Precision::f32)
      : model_(model), region_(backend), precision_(precision) {}

  // [images][labels]. append(i, patches) puts the patches of picture i at the end of `patches`
  // (data/images/patches.h).
  using Append = std::function<void(std::size_t image, std::vector<float>& patches)>;
  std::vector<std::vector<float>> class_logits(std::size_t images, const Append& append);

 private:
  const Vit& model_;
  Region region_;
  Precision precision_;
  std::vector<float> patches_;
};

}  // namespace yona
