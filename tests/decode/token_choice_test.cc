#include "yona/decode/token_choice.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/sampling.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TokenChoiceOptions options_of(const Json& json) {
  return {.temperature = json.value("temperature", 1.0),
          .top_k = json.value("top_k", std::int64_t{0}),
          .top_p = json.value("top_p", 1.0),
          .min_p = json.value("min_p", 0.0),
          .repetition_penalty = json.value("repetition_penalty", 1.0)};
}

// What transformers' processors left of the same rows (tools/fixtures/token_choice.py).
TEST(TokenChoice, KeepsWhatTransformersKeepsWithTheSameProbabilities) {
  const Json cases =
      read_json(std::filesystem::path(YONA_FIXTURES) / "decode" / "token_choice.json");
  ASSERT_GE(cases.size(), 10U);
  for (const Json& row : cases) {
    SCOPED_TRACE(row.at("options").dump());
    const TokenChoiceOptions options = options_of(row.at("options"));
    auto logits = row.at("logits").get<std::vector<float>>();
    const auto tokens = row.at("tokens").get<std::vector<std::int32_t>>();
    apply_penalties(logits, options, SeenTokens(tokens));
    const KeptTokens kept = kept_tokens(logits, options);
    EXPECT_EQ(kept.ids, row.at("kept").get<std::vector<std::int32_t>>());
    const auto expected = row.at("probabilities").get<std::vector<double>>();
    ASSERT_EQ(kept.probabilities.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(kept.probabilities[i], expected[i], 1e-6);
    }
  }
}

TEST(TokenChoice, PenalisesTheTextSoFarAsOpenAiDoesAndThePromptByRepetitionAlone) {
  std::vector<float> logits{1.0F, 2.0F, -1.0F, 0.5F, 4.0F};
  SeenTokens seen(std::vector<std::int32_t>{0, 2, 99, -1});
  seen.add(1);
  seen.add(1);
  seen.add(4);
  apply_penalties(logits, {.presence_penalty = 0.5, .frequency_penalty = 0.25}, seen);
  EXPECT_EQ(logits, (std::vector<float>{1.0F, 1.0F, -1.0F, 0.5F, 3.25F}));
  apply_penalties(logits, {.repetition_penalty = 2.0}, seen);
  EXPECT_EQ(logits, (std::vector<float>{0.5F, 0.5F, -2.0F, 0.5F, 1.625F}));
}

TEST(TokenChoice, TakesTheFirstOfTheBestWithoutATemperature) {
  const std::vector<float> logits{0.0F, 3.0F, 3.0F, -INFINITY};
  EXPECT_EQ(choose_token(logits, {}, 0.99), 1);
  EXPECT_EQ(choose_token(std::vector<float>{-INFINITY, -INFINITY}, {}, 0.5), -1);
  EXPECT_EQ(choose_token(std::vector<float>{-INFINITY}, {.temperature = 1.0}, 0.5), -1);
}

TEST(TokenChoice, DrawsTheTokenWhoseShareTheNumberFallsInto) {
  const std::vector<float> logits{std::log(0.2F), -INFINITY, std::log(0.5F), std::log(0.3F)};
  const TokenChoiceOptions plain{.temperature = 1.0};
  EXPECT_EQ(choose_token(logits, plain, 0.0), 0);
  EXPECT_EQ(choose_token(logits, plain, 0.19), 0);
  EXPECT_EQ(choose_token(logits, plain, 0.21), 2);
  EXPECT_EQ(choose_token(logits, plain, 0.69), 2);
  EXPECT_EQ(choose_token(logits, plain, 0.71), 3);
  EXPECT_EQ(choose_token(logits, plain, 1.0 - 0x1.0p-53), 3);
  EXPECT_EQ(choose_token(logits, {.temperature = 1.0, .top_k = 1}, 0.99), 2);
  EXPECT_EQ(choose_token(logits, {.temperature = 1.0, .top_p = 0.7}, 0.99), 3);
  EXPECT_EQ(choose_token(logits, {.temperature = 1.0, .min_p = 0.9}, 0.0), 2);
}

TEST(TokenChoice, FrequenciesOfManyDrawsAreTheProbabilities) {
  const std::vector<float> logits{0.3F, 1.7F, -0.4F, 0.9F, 1.1F};
  const TokenChoiceOptions options{.temperature = 0.8, .top_k = 4};
  const KeptTokens kept = kept_tokens(logits, options);
  ASSERT_EQ(kept.ids, (std::vector<std::int32_t>{0, 1, 3, 4}));
  std::vector<int> times(logits.size(), 0);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double number = sample_number(7, {.request = 3, .sample = 0, .step = i});
    ++times[static_cast<std::size_t>(choose_token(logits, options, number))];
  }
  EXPECT_EQ(times[2], 0);
  for (std::size_t i = 0; i < kept.ids.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(times[static_cast<std::size_t>(kept.ids[i])]) / kDraws,
                kept.probabilities[i], 0.015);
  }
}

TEST(TokenChoice, RefusesOptionsOutOfTheirRangeByName) {
  const auto message = [](const TokenChoiceOptions& options) {
    return message_of<InvalidArgument>([&] { check_token_choice(options, "generate"); });
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.temperature = -1.0}),
            "generate: a temperature of -1 is not between 0 and 100");
  EXPECT_EQ(message({.temperature = std::numeric_limits<double>::quiet_NaN()}),
            "generate: a temperature of nan is not between 0 and 100");
  EXPECT_EQ(message({.top_k = -3}),
            "generate: top-k is -3; it must be at least 1, or 0 for all tokens");
  EXPECT_EQ(message({.top_p = 0.0}), "generate: top-p is 0; it must be above 0 and at most 1");
  EXPECT_EQ(message({.min_p = 1.5}), "generate: min-p is 1.5; it must be between 0 and 1");
  EXPECT_EQ(message({.repetition_penalty = 0.0}),
            "generate: a repetition penalty of 0 is not above 0 and at most 10000");
  EXPECT_EQ(message({.frequency_penalty = INFINITY}),
            "generate: a presence or frequency penalty of inf is not between -10000 and 10000");
}

}  // namespace
}  // namespace yona::testing
