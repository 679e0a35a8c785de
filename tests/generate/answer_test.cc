#include "yona/generate/answer.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

AnswerRules rules_of_letters() {
  return {.end_ids = {4},
          .bytes = std::make_shared<const TokenBytes>(TokenBytes{"a", "b", "cd", "\xC3", ""})};
}

Answer answer_of(GenerateRequest request, const AnswerRules& rules, std::int64_t max_new = 5) {
  return {7, 0, std::make_shared<const GenerateRequest>(std::move(request)), max_new, rules};
}

TEST(Answer, EndsAtATokenThatEndsATextOrAfterTheLastToken) {
  const AnswerRules rules = rules_of_letters();
  Answer answer = answer_of({.prompt = {0}}, rules);
  const GeneratedToken first = answer.accept({2, 0.0F});
  EXPECT_EQ(first.request, 7U);
  EXPECT_EQ(first.text, "cd");
  EXPECT_FALSE(first.finish.has_value());
  const GeneratedToken end = answer.accept({4, 0.0F});
  EXPECT_TRUE(end.is_end);
  EXPECT_EQ(end.text, "");
  EXPECT_EQ(end.finish, FinishReason::stop);
  EXPECT_TRUE(answer.is_finished());

  Answer limited = answer_of({.prompt = {0}}, rules, 2);
  EXPECT_FALSE(limited.accept({3, 0.0F}).finish.has_value());  // half a character is held back
  const GeneratedToken last = limited.accept({1, 0.0F});
  EXPECT_EQ(last.text,
            "\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(last.finish, FinishReason::length);
}

TEST(Answer, EndsAtAStopStringAcrossTokens) {
  const AnswerRules rules = rules_of_letters();
  Answer answer = answer_of({.prompt = {0}, .stop = {"bc"}}, rules);
  EXPECT_EQ(answer.accept({0, 0.0F}).text, "a");
  EXPECT_EQ(answer.accept({1, 0.0F}).text, "");
  const GeneratedToken last = answer.accept({2, 0.0F});
  EXPECT_EQ(last.text, "");
  EXPECT_EQ(last.finish, FinishReason::stop);
}

TEST(Answer, GivesLogProbabilitiesOfTheModelBeforePenaltiesAndTemperature) {
  const AnswerRules rules = rules_of_letters();
  Answer answer =
      answer_of({.prompt = {0}, .choice = {.repetition_penalty = 100.0}, .top_logprobs = 2}, rules);
  EXPECT_FALSE(answer.takes_best());
  std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.1F), std::log(0.1F),
                            -INFINITY};
  logits[0] += 3.0F;  // all of them: a softmax does not see it
  logits[1] += 3.0F;
  logits[2] += 3.0F;
  logits[3] += 3.0F;
  const TokenLogprob chosen = answer.choose(logits);
  EXPECT_EQ(chosen.token, 1);  // the prompt's token is penalised
  EXPECT_NEAR(chosen.logprob, std::log(0.3), 1e-6);
  const GeneratedToken token = answer.accept(chosen);
  ASSERT_EQ(token.top.size(), 2U);
  EXPECT_EQ(token.top[0].token, 0);
  EXPECT_NEAR(token.top[0].logprob, std::log(0.5), 1e-6);
  EXPECT_EQ(token.top[1].token, 1);
}

TEST(Answer, IgnoresTheEndWhereAsked) {
  const AnswerRules rules = rules_of_letters();
  Answer answer = answer_of({.prompt = {0}, .ignore_end = true}, rules);
  std::vector<float> logits{0, 1, 0, 0, 9};
  EXPECT_EQ(answer.choose(logits).token, 1);
}

// Lets one token come, and then nothing more.
class OnlyOne : public TokenFilter {
 public:
  explicit OnlyOne(std::int32_t token) : token_(token) {}
  void bar(std::span<float> logits) override {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      logits[i] = static_cast<std::int32_t>(i) == token_ ? logits[i] : -INFINITY;
    }
  }
  void advance(std::int32_t token) override { is_done_ = token == token_; }
  bool must_end() override { return is_done_; }

 private:
  std::int32_t token_;
  bool is_done_ = false;
};

TEST(Answer, ObeysAFilterAndEndsWithIt) {
  const AnswerRules rules = rules_of_letters();
  Answer answer =
      answer_of({.prompt = {0}, .filter = [] { return std::make_unique<OnlyOne>(2); }}, rules);
  EXPECT_TRUE(answer.has_filter());
  std::vector<float> logits{5, 1, 0, 0, 9};
  const GeneratedToken token = answer.accept(answer.choose(logits));
  EXPECT_EQ(token.text, "cd");
  EXPECT_EQ(token.finish, FinishReason::stop);
}

TEST(Answer, SaysWhenNoTokenCanComeAndWhenLogitsAreNotNumbers) {
  const AnswerRules rules = rules_of_letters();
  Answer answer =
      answer_of({.prompt = {0}, .filter = [] { return std::make_unique<OnlyOne>(99); }}, rules);
  std::vector<float> logits(5, 0.0F);
  EXPECT_EQ(message_of<InvalidArgument>([&] { answer.choose(logits); }),
            "generate: no token can come after 0 new ones");
  logits[3] = std::nanf("");
  EXPECT_EQ(message_of<DeviceError>([&] { answer.choose(logits); }),
            "generate: the model's outputs are not numbers: its weights are damaged");
  const GeneratedToken failed = answer.fail_with("why");
  EXPECT_EQ(failed.finish, FinishReason::failed);
  EXPECT_EQ(failed.error, "why");
  EXPECT_STREQ(name_of(FinishReason::failed), "error");
}

}  // namespace
}  // namespace yona::testing
