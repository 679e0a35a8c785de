#include "yona/tasks/image_classification/image_objective.h"

#include <map>
#include <string_view>

#include <gtest/gtest.h>

#include "yona/backend/registration.h"
#include "yona/data/images/image_examples.h"
#include "yona/io/image_folder.h"
#include "yona/nn/parameters.h"
#include "yona/train/learner.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

VitConfig small_vit(ImageVector vector) {
  VitConfig config = vit_preset("vit-tiny");
  config.image_height = config.image_width = 8;
  config.channels = 1;
  config.labels = 3;
  config.layers = 1;
  config.dropout = config.attention_dropout = 0.1;
  config.image_vector = vector;
  return config;
}

PatchMaker patches_of(const VitConfig& config) {
  return {patch_grid(config), {.rescale = 1.0 / 7.0}};
}

TEST(ImageObjective, TheLargestBatchHasTheRowsThatFit) {
  const ImageObjective objective(small_vit(ImageVector::class_token), {},
                                 patches_of(small_vit(ImageVector::class_token)));
  const Batch batch = objective.largest_batch(18, shared_backend("cpu"));
  EXPECT_EQ(batch.examples(), 4);
  EXPECT_EQ(batch.sides[kPatches].rows(), 16);
  EXPECT_EQ(objective.largest_batch(1, shared_backend("cpu")).examples(), 1);
}

template <class Member>
bool is_own(Member member) {
  return (cpu_kernels().*member).function() != (reference_kernels().*member).function();
}

// Is what the CPU runs for the kernel its own, and not the plain loop of the reference?
std::map<std::string_view, bool> kernels_of_a_step() {
  return {{"matmul", is_own(&Kernels::matmul)},
          {"bias_activation_backward", is_own(&Kernels::bias_activation_backward)},
          {"gelu", is_own(&Kernels::gelu)},
          {"gelu_backward", is_own(&Kernels::gelu_backward)},
          {"gelu_gradient_product", is_own(&Kernels::gelu_gradient_product)},
          {"weight_gradients", is_own(&Kernels::weight_gradients)},
          {"dropout", is_own(&Kernels::dropout)},
          {"embed", is_own(&Kernels::embed)},
          {"embed_backward", is_own(&Kernels::embed_backward)},
          {"gather_rows", is_own(&Kernels::gather_rows)},
          {"gather_rows_backward", is_own(&Kernels::gather_rows_backward)},
          {"patch_numbers", is_own(&Kernels::patch_numbers)},
          {"prepend_rows", is_own(&Kernels::prepend_rows)},
          {"prepend_rows_backward", is_own(&Kernels::prepend_rows_backward)},
          {"segment_mean", is_own(&Kernels::segment_mean)},
          {"segment_mean_backward", is_own(&Kernels::segment_mean_backward)},
          {"residual_norm", is_own(&Kernels::residual_norm)},
          {"residual_norm_backward", is_own(&Kernels::residual_norm_backward)},
          {"attention", is_own(&Kernels::attention)},
          {"attention_backward", is_own(&Kernels::attention_backward)},
          {"cross_entropy", is_own(&Kernels::cross_entropy)},
          {"vocabulary_loss", is_own(&Kernels::vocabulary_loss)},
          {"add", is_own(&Kernels::add)},
          {"fill", is_own(&Kernels::fill)}};
}

TEST(ImageObjective, NoKernelOfAStepIsTheReferences) {
  const std::map<std::string_view, bool> own = kernels_of_a_step();
  for (const ImageVector vector : {ImageVector::class_token, ImageVector::mean}) {
    ImageObjective objective(small_vit(vector), {.label_smoothing = 0.1},
                             patches_of(small_vit(vector)));
    Backend& backend = shared_backend("cpu");
    Parameters parameters(objective.model(), backend, Gradients::yes);
    parameters.initialise(1);
    parameters.zero_gradients();
    Learner learner(objective, parameters, backend);
    const Batch batch = objective.largest_batch(16, backend);
    Profile profile;
    backend.exec().profile = &profile;
    learner.accumulate(batch, {}, objective.weight(batch)).read();
    backend.exec().profile = nullptr;
    EXPECT_TRUE(profile.seconds.contains("attention_backward"));
    for (const auto& entry : profile.seconds) {
      const auto found = own.find(entry.first);
      ASSERT_NE(found, own.end()) << entry.first;
      EXPECT_TRUE(found->second) << entry.first;
    }
  }
}

// The gradients of a step with these labels and shares.
std::vector<float> mixed_gradients(const std::vector<std::int32_t>& labels, bool mixes,
                                   const std::vector<std::int32_t>& others, float share) {
  VitConfig config = small_vit(ImageVector::class_token);
  config.dropout = config.attention_dropout = 0.0;
  ImageObjective objective(config, {.label_smoothing = 0.1, .mixes = mixes}, patches_of(config));
  Backend& backend = shared_backend("cpu");
  Parameters parameters(objective.model(), backend, Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend);
  Batch batch = objective.largest_batch(8, backend);
  for (std::size_t i = 0; i < batch.sides[kPatches].bytes.size(); ++i) {
    batch.sides[kPatches].bytes[i] = static_cast<std::uint8_t>(i % 7);
  }
  batch.sides[kImageClass].ids = labels;
  if (mixes) {
    batch.sides[kMixedClass].ids = others;
    batch.sides[kMixedClass].bytes = batch.sides[kPatches].bytes;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      batch.sides[kImageChanges].values[i * kPictureChanges] = share;
    }
  }
  learner.accumulate(batch, {}, objective.weight(batch)).read();
  return parameters.gradients().to_vector<float>();
}

TEST(ImageObjective, GradientsOfMixedPicturesAreThoseOfBothLabelsByTheirShares) {
  const std::vector<std::int32_t> own{0, 2};
  const std::vector<std::int32_t> others{1, 0};
  const std::vector<float> first = mixed_gradients(own, false, {}, 0);
  const std::vector<float> second = mixed_gradients(others, false, {}, 0);
  const std::vector<float> mixed = mixed_gradients(own, true, others, 0.75F);
  ASSERT_EQ(mixed.size(), first.size());
  double largest = 0;
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    EXPECT_NEAR(mixed[i], 0.75F * first[i] + 0.25F * second[i], 1e-5F);
    largest = std::max(largest, std::abs(static_cast<double>(mixed[i] - first[i])));
  }
  EXPECT_GT(largest, 1e-3);
}

}  // namespace
}  // namespace yona::testing
