#include "yona/study/contenders.h"

#include <gtest/gtest.h>

#include "tests/harness/toy_model.h"

namespace yona {
namespace {

Seq2SeqConfig base_config() {
  Seq2SeqConfig config = testing::toy_config();
  config.d_model = 48;
  config.d_ff = 96;
  config.heads = 4;
  config.input_length = 16;
  return config;
}

TEST(Contenders, HaveParametersWithinATenth) {
  const auto wanted = static_cast<double>(parameter_count(base_config()));
  for (const Contender& contender : contenders()) {
    const Seq2SeqConfig config = matched_config(contender, base_config());
    EXPECT_NEAR(static_cast<double>(parameter_count(config)), wanted, 0.1 * wanted)
        << contender.name;
    EXPECT_EQ(config.d_ff, 2 * config.d_model) << contender.name;
  }
  EXPECT_EQ(matched_config(contenders().front(), base_config()), base_config());
}

TEST(Contenders, ShowTheRateWithTheLowestMean) {
  const auto point = [](double rate, int seed, double loss) {
    return Json{{"arch", "lstm"}, {"rate", rate}, {"seed", seed}, {"loss", loss}};
  };
  const Json points{{"a", point(5e-4, 1, 1.0)},
                    {"b", point(5e-4, 2, 3.0)},
                    {"c", point(2e-3, 1, 1.5)},
                    {"d", point(2e-3, 2, 1.6)}};
  const std::vector<BestRate> best = best_rates(points, "loss");
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best.front().arch, "lstm");
  EXPECT_EQ(best.front().rate, 2e-3);
  EXPECT_EQ(best.front().points.size(), 2U);
}

}  // namespace
}  // namespace yona
