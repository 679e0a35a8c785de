#include "yona/tasks/image_classification/train_bench.h"

#include <memory>
#include <utility>

#include "yona/base/random.h"
#include "yona/data/images/image_examples.h"
#include "yona/io/image_folder.h"
#include "yona/tasks/image_classification/image_objective.h"

namespace yona {

namespace {

Batch random_pictures(const ImageBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  const VitConfig& model = options.model;
  Batch batch;
  batch.clear();
  Side& patches = batch.sides[kPatches];
  patches.width = model.patch_values();
  for (std::int64_t i = 0; i < options.batch; ++i) {
    for (std::int64_t value = 0; value < model.patches() * patches.width; ++value) {
      patches.bytes.push_back(static_cast<std::uint8_t>(random.below(256)));
    }
    patches.end_example();
    Side& changes = batch.sides[kImageChanges];
    changes.width = kPictureChanges;
    changes.values.resize(changes.values.size() + kPictureChanges);
    changes.end_example();
    batch.sides[kImageClass].ids.push_back(
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model.labels))));
    batch.sides[kImageClass].end_example();
    batch.example_ids.push_back(static_cast<std::uint64_t>(i));
    batch.weights.push_back(1.0F);
  }
  return batch;
}

// Of the products of one forward pass.
double image_multiply_adds(const VitConfig& m, std::int64_t batch) {
  const auto d = static_cast<double>(m.d_model);
  const auto tokens = static_cast<double>(m.tokens());
  const double layer = tokens * (4 * d * d + 2 * d * static_cast<double>(m.d_ff) + 2 * d * tokens);
  const double patches = static_cast<double>(m.patches() * m.patch_values()) * d;
  const double classifier = d * static_cast<double>(m.labels);
  return static_cast<double>(batch) *
         (static_cast<double>(m.layers) * layer + patches + classifier);
}

}  // namespace

Json bench_image_train(const ImageBenchOptions& options) {
  const auto pictures = static_cast<double>(options.batch);
  StepBenchWork work{.objective = std::make_unique<ImageObjective>(
                         options.model, ImageLoss{},
                         PatchMaker(patch_grid(options.model), {.rescale = 1.0 / 128.0})),
                     .batches = {},
                     .tokens = [=](const Batch& /*batch*/) { return pictures; },
                     .multiply_adds =
                         [&](const Batch& /*batch*/) {
                           return image_multiply_adds(options.model, options.batch);
                         }};
  for (std::uint64_t key = 0; key < 2; ++key) {
    work.batches.push_back(random_pictures(options, key));
  }
  const StepBenchFigures figures = bench_steps(std::move(work), options.run);
  Json result{{"engine", "yona"},
              {"task", "image-classification"},
              {"preset", options.preset},
              {"len", options.model.tokens()},
              {"batch", options.batch},
              {"ms", figures.ms},
              {"img_s", figures.tokens_per_second},
              {"tflops", figures.tflops}};
  result.update(figures.rest);
  return result;
}

}  // namespace yona
