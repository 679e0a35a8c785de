#include "yona/serve/engine/step_speed.h"

#include <gtest/gtest.h>

#include "yona/decode/generation_config.h"

#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

using serve::kUsualProducts;
using serve::products_of_step;

TEST(StepSpeed, CountsTheLargerOfALayerAndTheOutputLayer) {
  TransformerConfig config;
  config.target_vocabulary = 32000;
  EXPECT_EQ(serve::products_of_row(config), 32000 * 512);
  config.target_vocabulary = 1000;
  EXPECT_EQ(serve::products_of_row(config), 6 * 512 * 512 + 2 * 512 * 2048);
}

TEST(StepSpeed, GivesWhatTakes25Milliseconds) {
  EXPECT_EQ(products_of_step(2'000'000'000, 0.05), 1'000'000'000);
  EXPECT_EQ(products_of_step(2'000'000'000, 0.025), 2'000'000'000);
}

TEST(StepSpeed, StaysNearTheUsualWhateverIsMeasured) {
  EXPECT_EQ(products_of_step(1000, 10), kUsualProducts / 4);
  EXPECT_EQ(products_of_step(1'000'000'000, 0), kUsualProducts * 4);
}

TEST(StepSpeed, IsMeasuredByStepsOfTheModel) {
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(testing::shared_model().path(), *backend);
  const std::int64_t products =
      serve::measured_products(*model, *backend, folder_options(model->folder(), model->info()));
  EXPECT_GE(products, kUsualProducts / 4);
  EXPECT_LE(products, kUsualProducts * 4);
}

}  // namespace
}  // namespace yona
