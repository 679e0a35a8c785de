// The Vision Transformer alone; against transformers it is compared in
// tests/io/image_folder_test.cc.
#include "yona/models/vit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/cross_entropy.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/model_gradient.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

VitConfig toy_vit() {
  VitConfig config;
  config.image_height = 4;
  config.image_width = 6;
  config.channels = 1;
  config.patch = 2;
  config.layers = 2;
  config.d_model = 8;
  config.d_ff = 12;
  config.heads = 2;
  config.labels = 3;
  return config;
}

// The loss of two pictures, its gradient on the tape.
double vit_loss(const Vit& model, Region& region, Tape* tape) {
  const std::int64_t count = 2 * model.config().patches() * model.config().patch_values();
  const std::vector<double> drawn = random_values(count, 8);
  const std::vector<float> patches(drawn.begin(), drawn.end());
  const std::vector<std::uint64_t> ids{5, 9};
  Context c{.region = region, .tape = tape, .training = true};
  const VitInput input = model.input({.patches = patches, .image_ids = ids}, region);
  const OutputLayer head = model.classifier();
  const Tensor vectors = model.image_vectors(input, model.states(input, c), c);
  const CrossEntropyOptions options{.smoothing = 0.1F,
                                    .row_scale = tensor_of({0.5, 0.5}, {2}, DType::f32, region),
                                    .bias = head.bias};
  const Tensor losses =
      linear_cross_entropy(vectors, head.weight, ids_of({2, 0}, region), options, c);
  if (tape != nullptr) {
    tape->backward();
  }
  const std::vector<double> values = values_of(losses);
  return 0.5 * (values[0] + values[2]);
}

void expect_vit_gradient(const VitConfig& config) {
  Vit model(config);
  BoundModule bound(model);
  expect_gradient_of(bound.parameters,
                     [&](Tape* tape) { return vit_loss(model, bound.region, tape); });
}

TEST(Vit, GradientsAreThoseOfFiniteDifferences) {
  expect_vit_gradient(toy_vit());
  VitConfig mean = toy_vit();
  mean.image_vector = ImageVector::mean;
  mean.stride = 1;
  expect_vit_gradient(mean);
  VitConfig dropout = toy_vit();
  dropout.dropout = 0.2;
  dropout.attention_dropout = 0.1;
  dropout.qkv_bias = false;
  dropout.distillation_token = true;
  expect_vit_gradient(dropout);
}

TEST(Vit, OrderOfPatchesMatters) {
  Vit model(toy_vit());
  BoundModule bound(model);
  std::vector<float> patches(24);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    patches[i] = static_cast<float>(i) / 24.0F;
  }
  const auto logits = [&](const std::vector<float>& values) {
    const VitInput input = model.input({.patches = values}, bound.region);
    return values_of(model.logits(input, model.states(input, bound.c), bound.c));
  };
  const std::vector<double> before = logits(patches);
  std::rotate(patches.begin(), patches.begin() + 4, patches.end());
  EXPECT_NE(logits(patches), before);
}

TEST(Vit, PicturesThatAreNotWholeAreRefused) {
  Vit model(toy_vit());
  const BoundModule bound(model);
  Region region(shared_backend("reference"));
  const std::vector<float> some(25);
  EXPECT_THAT(message_of<InvalidArgument>([&] { model.input({.patches = some}, region); }),
              HasSubstr("25 numbers are not whole pictures of 6 patches with 4 numbers each"));
}

}  // namespace
}  // namespace yona::testing
