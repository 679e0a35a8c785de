#include "yona/serve/engine/work.h"

#include <gtest/gtest.h>

#include "yona/serve/batch_choice.h"

namespace yona {
namespace {

using serve::set_work;
using serve::WorkEstimate;

TransformerConfig base() {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = 32000;
  return config;
}

TEST(Work, IsBeamsTimesOutputTokens) {
  const WorkEstimate estimate(base(), {});
  EXPECT_EQ(estimate.of_sentence({}, 10), 4 * 60);
  EXPECT_EQ(estimate.of_sentence({.beam = 64, .max_length = 100}, 10), 6400);
  EXPECT_EQ(estimate.of_sentence({.beam = 1, .max_length = 4096}, 10), 1024);  // its positions
}

TEST(Work, CountsARoundForEachUseOfATerm) {
  serve::TranslationJob job;
  job.sentences = {"a cat and a cat", "no such word"};
  job.glossary = {{"cat", "Katze"}};
  set_work(job, WorkEstimate(base(), {}), {});
  ASSERT_EQ(job.work.size(), 2U);
  EXPECT_EQ(job.work[0], 3 * 4 * (job.tokens[0] + 50));
  EXPECT_EQ(job.work[1], 4 * (job.tokens[1] + 50));
}

struct JobWork {
  std::int64_t total = 0, compared = 0;
};

// Of a job of one sentence of so many words.
JobWork work_of_words(int words, bool attention) {
  serve::TranslationJob job;
  job.sentences.emplace_back();
  for (int i = 0; i < words; ++i) {
    job.sentences.front() += "dog ";
  }
  job.attention = attention;
  set_work(job, WorkEstimate(base(), {}), {});
  return {job.total_work(), job.compared_work()};
}

TEST(Work, LetsRequestsOfTheSameLengthPreemptLargeAttention) {
  for (const int words : {25, 50, 100}) {
    const JobWork plain = work_of_words(words, false);
    const JobWork attention = work_of_words(words, true);
    EXPECT_TRUE(serve::preempts(plain.compared, attention.compared)) << words;
    EXPECT_EQ(attention.total, 2 * plain.total);
    EXPECT_EQ(plain.compared, plain.total);
  }
  EXPECT_FALSE(
      serve::preempts(work_of_words(10, false).compared, work_of_words(10, true).compared));
}

TEST(Work, CountsWeightsOfAllHeadsAndLayers) {
  EXPECT_EQ(WorkEstimate(base(), {}).attention_weights(10, 0), 6 * 8 * 100);
  EXPECT_EQ(WorkEstimate(base(), {}).attention_weights(10, 20), 6 * 8 * (100 + 400 + 200));
}

TEST(Work, TakesADocumentWithTheUsualSearch) {
  serve::TranslationJob job;
  job.sentences.assign(1000, std::string(100, 'a'));
  EXPECT_NO_THROW(set_work(job, WorkEstimate(base(), {}), {}));
}

TEST(Work, LimitsWhatLargeModelsComputeAtOnce) {
  TransformerConfig big = base();
  big.d_model = 1024;
  big.d_ff = 4096;
  constexpr std::int64_t kProducts = 1'500'000'000;
  const StepLimits of_base = serve::step_limits(base(), Device::cpu, kProducts);
  const StepLimits of_big = serve::step_limits(big, Device::cpu, kProducts);
  EXPECT_GT(of_base.rows, 2 * of_big.rows - 2);
  EXPECT_GT(of_base.tokens, of_big.tokens);
  EXPECT_GT(of_big.rows, 0);
  const StepLimits slow = serve::step_limits(base(), Device::cpu, kProducts / 3);
  EXPECT_EQ(slow.rows, of_base.rows / 3);
  EXPECT_EQ(slow.tokens, of_base.tokens / 3);
  EXPECT_EQ(slow.positions, of_base.positions);
  EXPECT_EQ(serve::step_limits(big, Device::cuda, kProducts).rows, 0);
}

}  // namespace
}  // namespace yona
