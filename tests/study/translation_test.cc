#include "yona/study/translation.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"

namespace yona {
namespace {

TEST(TranslationStudy, LearnsWithUpdates) {
  const StudySetting setting{.backend = testing::shared_backend("cpu")};
  const auto corpus = std::make_shared<const WordPairs>(
      WordPairs::Sizes{.training = 500, .validation = 20, .test = 10}, 1);
  const Seq2SeqConfig config = translation_config(*corpus);
  const auto measured = [&](std::int64_t updates) {
    return measure_translation({"transformer", config, 2e-3, 1}, {corpus, 500, updates}, setting);
  };
  const Json few = measured(2);
  const Json more = measured(40);
  EXPECT_LT(more["loss"].get<double>(), few["loss"].get<double>() - 1);
  EXPECT_GE(more["bleu"].get<double>(), few["bleu"].get<double>());
  EXPECT_LE(more["bleu by length"].size(), 3U);
  EXPECT_GE(more["bleu by length"].size(), 1U);
  const ContenderRun run{"transformer", config, 2e-3, 1};
  EXPECT_DOUBLE_EQ(translation_flops(run, {corpus, 500, 40}),
                   20 * translation_flops(run, {corpus, 500, 2}));
}

TEST(TranslationStudy, LengthGroupsAreThirdsThatKeepEqualLengthsTogether) {
  Batch batch;
  batch.clear();
  Side& sources = batch.sides[kSource];
  for (const int words : {5, 2, 9, 2, 5, 1, 5, 7, 9}) {
    sources.ids.insert(sources.ids.end(), static_cast<std::size_t>(words) + 1, 0);  // with </s>
    sources.end_example();
  }
  const std::vector<LengthGroup> groups = length_groups(sources);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name(), "1-2 words");
  EXPECT_EQ(groups[0].sentences, (std::vector<std::size_t>{5, 1, 3}));
  EXPECT_EQ(groups[1].name(), "5 words");
  EXPECT_EQ(groups[1].sentences, (std::vector<std::size_t>{0, 4, 6}));
  EXPECT_EQ(groups[2].name(), "7-9 words");
  EXPECT_EQ(groups[2].sentences, (std::vector<std::size_t>{7, 2, 8}));
}

}  // namespace
}  // namespace yona
