#include "yona/encode/image_runner.h"

#include <algorithm>

#include "yona/encode/host_floats.h"

namespace yona {

namespace {

constexpr std::int64_t kBatchPatches = 4096;

}  // namespace

std::vector<std::vector<float>> ImageRunner::class_logits(std::size_t images,
                                                          const Append& append) {
  const auto batch =
      static_cast<std::size_t>(std::max<std::int64_t>(1, kBatchPatches / model_.config().tokens()));
  std::vector<std::vector<float>> results;
  results.reserve(images);
  for (std::size_t begin = 0; begin < images; begin += batch) {
    const std::size_t end = std::min(images, begin + batch);
    patches_.clear();
    for (std::size_t image = begin; image < end; ++image) {
      append(image, patches_);
    }
    Context c{.region = region_};
    c.precision = precision_;
    const VitInput input = model_.input({.patches = patches_}, region_);
    const Tensor logits = model_.logits(input, model_.states(input, c), c);  // [images, labels]
    const std::vector<float> values = host_floats(logits, c);
    const auto labels = static_cast<std::ptrdiff_t>(logits.cols());
    for (std::size_t i = 0; i < end - begin; ++i) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(i) * labels;
      results.emplace_back(from, from + labels);
    }
  }
  return results;
}

}  // namespace yona
