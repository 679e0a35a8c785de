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
  const ContenderRun run{"transformer", config, 2e-3, 1};
  EXPECT_DOUBLE_EQ(translation_flops(run, {corpus, 500, 40}),
                   20 * translation_flops(run, {corpus, 500, 2}));
}

}  // namespace
}  // namespace yona
