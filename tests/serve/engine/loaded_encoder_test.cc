#include "yona/serve/engine/loaded_encoder.h"

#include <numeric>

#include <gtest/gtest.h>

#include "yona/backend/backend.h"

namespace yona::testing {
namespace {

using serve::EncoderJob;
using serve::LoadedEncoder;
using serve::ServedFolder;
using serve::Unit;

const std::filesystem::path kFixtures(YONA_FIXTURES);

std::vector<Unit> units_of(const std::shared_ptr<EncoderJob>& job) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < job->size(); ++i) {
    units.push_back({job, i});
  }
  return units;
}

TEST(LoadedEncoder, IsDescribedWithoutItsWeights) {
  const auto texts = serve::encoder_summary({kFixtures / "encoders" / "bert-masked-lm"});
  EXPECT_EQ(texts.id, "bert-masked-lm");
  EXPECT_TRUE(texts.labels.empty());
  EXPECT_GT(texts.vocabulary, 0);
  const auto pictures = serve::encoder_summary({kFixtures / "vit" / "deit", "eyes"});
  EXPECT_EQ(pictures.id, "eyes");
  EXPECT_EQ(pictures.vocabulary, 0);
  EXPECT_FALSE(pictures.labels.empty());
}

TEST(LoadedEncoder, ComputesWhatTheJobsWant) {
  const auto backend = make_backend("cpu", {.threads = 1});
  LoadedEncoder encoder({kFixtures / "encoders" / "bert-classes"}, *backend, {});
  auto job = std::make_shared<EncoderJob>();
  job->texts = {{"the film"}, {"a", "bad one"}};
  job->wants = EncoderJob::Wants::labels;
  const auto labels = encoder.compute(units_of(job));
  ASSERT_EQ(labels.size(), 2U);
  for (const auto& result : labels) {
    const double sum =
        std::accumulate(result.labels.begin(), result.labels.end(), 0.0,
                        [](double s, const LabelScore& label) { return s + label.score; });
    EXPECT_NEAR(sum, 1.0, 1e-6);
    EXPECT_TRUE(result.vector.empty());
  }
  auto ids = std::make_shared<EncoderJob>();
  ids->ids = {{5, 6, 7}};
  const auto vectors = encoder.compute(units_of(ids));
  EXPECT_EQ(vectors[0].tokens, 5);
  EXPECT_FALSE(vectors[0].vector.empty());
}

}  // namespace
}  // namespace yona::testing
