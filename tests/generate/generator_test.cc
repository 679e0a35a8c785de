#include "yona/generate/generator.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/models/transformer.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

using Ids = std::vector<std::int32_t>;
// Request and answer → tokens.
using Answers = std::map<std::pair<RequestId, std::int64_t>, Ids>;

CausalLmConfig roomy(CausalLmConfig config) {
  config.max_positions = 64;
  return config;
}

Answers run(Generator& generator) {
  Answers answers;
  while (!generator.is_idle()) {
    for (const GeneratedToken& token : generator.step()) {
      answers[{token.request, token.answer}].push_back(token.token);
    }
  }
  return answers;
}

// The best token after the whole text, again and again.
Ids greedy(ToyLm& toy, Ids text, std::int64_t count) {
  Ids answer;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<double> logits = toy.logits({text});
    const auto last = logits.end() - toy.model.config().vocabulary;
    answer.push_back(static_cast<std::int32_t>(std::max_element(last, logits.end()) - last));
    text.push_back(answer.back());
  }
  return answer;
}

const std::vector<Ids> kPrompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10, 11, 12, 1, 2}, {0, 0}, {3, 1}};

TEST(Generator, IsGreedySearchWithoutATemperatureForEveryFamilyAndBatch) {
  CausalLmConfig mistral = roomy(toy_llama());
  mistral.attention_sizes.window = 4;
  CausalLmConfig qwen = roomy(toy_llama());
  qwen.qk_norm = true;
  for (const CausalLmConfig& config : {roomy(toy_gpt2()), roomy(toy_llama()), mistral, qwen}) {
    ToyLm toy(config, "cpu");
    std::vector<Ids> expected;
    for (const Ids& prompt : kPrompts) {
      expected.push_back(greedy(toy, prompt, 12));
    }
    for (const std::int64_t batch : {1, 2, 5}) {
      for (const std::int64_t prefill : {3, 512}) {
        Generator generator(toy.model, toy.region.backend(),
                            {.max_batch = batch, .prefill_tokens = prefill});
        for (const Ids& prompt : kPrompts) {
          generator.add({.prompt = prompt, .max_new = 12});
        }
        const Answers answers = run(generator);
        ASSERT_EQ(answers.size(), kPrompts.size());
        for (std::size_t i = 0; i < kPrompts.size(); ++i) {
          EXPECT_EQ(answers.at({i + 1, 0}), expected[i]);
        }
      }
    }
  }
}

TEST(Generator, DrawsTheSameInAnyBatchAndBySeedAndSequence) {
  ToyLm toy(roomy(toy_llama()), "cpu");
  const TokenChoiceOptions choice{.temperature = 1.0, .top_p = 0.95, .repetition_penalty = 1.1};
  std::vector<Ids> alone;
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    Generator generator(toy.model, toy.region.backend(), {.max_batch = 1});
    generator.add({.prompt = kPrompts[i], .max_new = 20, .choice = choice, .sequence = i});
    alone.push_back(run(generator).at({1, 0}));
  }
  Generator together(toy.model, toy.region.backend(), {.prefill_tokens = 4});
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    together.add({.prompt = kPrompts[i], .max_new = 20, .choice = choice, .sequence = i});
  }
  const Answers answers = run(together);
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    EXPECT_EQ(answers.at({i + 1, 0}), alone[i]);
  }
  const RequestId other = together.add(
      {.prompt = kPrompts[0], .max_new = 20, .choice = choice, .seed = 2, .sequence = 0});
  EXPECT_NE(run(together).at({other, 0}), alone[0]);
}

TEST(Generator, SeveralAnswersComputeThePromptOnceAndDrawIndependently) {
  ToyLm toy(roomy(toy_gpt2()), "cpu");
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 4});
  const GenerateRequest request{
      .prompt = kPrompts[2], .max_new = 16, .choice = {.temperature = 1.5}, .answers = 3};
  const RequestId id = generator.add(request);
  generator.step();
  EXPECT_EQ(generator.under_way(), 3U);
  Answers answers = run(generator);
  EXPECT_NE(answers.at({id, 0}), answers.at({id, 1}));
  EXPECT_NE(answers.at({id, 1}), answers.at({id, 2}));
  GenerateRequest one = request;
  one.answers = 1;
  Generator single(toy.model, toy.region.backend(), {.max_batch = 1});
  single.add(one);
  EXPECT_TRUE(std::equal(answers[{id, 0}].begin(), answers[{id, 0}].end(),
                         run(single).at({1, 0}).begin() + 1));
}

TEST(Generator, GivesSeveralAnswersToAPromptOfOneToken) {
  ToyLm toy(roomy(toy_gpt2()), "cpu");
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 4});
  const RequestId id = generator.add({.prompt = {4}, .max_new = 6, .answers = 3});
  const Answers answers = run(generator);
  for (std::int64_t answer = 0; answer < 3; ++answer) {
    EXPECT_EQ(answers.at({id, answer}), greedy(toy, {4}, 6));
  }
}

TEST(Generator, GrowsItsCacheWhileItIsIdle) {
  ToyLm toy(roomy(toy_gpt2()), "cpu");
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 2, .cache_tokens = 10});
  const GenerateRequest request{.prompt = kPrompts[0], .max_new = 12};
  generator.add({.prompt = kPrompts[0], .max_new = 3});
  EXPECT_NE(message_of<InvalidArgument>([&] { generator.reserve(20); }), "");
  run(generator);
  EXPECT_NE(message_of<InvalidArgument>([&] { generator.add(request); }), "");
  generator.reserve(15);
  EXPECT_EQ(generator.cache_tokens(), 15);
  generator.reserve(5);
  EXPECT_EQ(generator.cache_tokens(), 15);
  const RequestId id = generator.add(request);
  EXPECT_EQ(run(generator).at({id, 0}), greedy(toy, kPrompts[0], 12));
}

TEST(Generator, RequestsJoinAndLeaveBetweenSteps) {
  ToyLm toy(roomy(toy_llama()), "cpu");
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 2});
  const RequestId a = generator.add({.prompt = kPrompts[0], .max_new = 12});
  generator.step();
  const RequestId b = generator.add({.prompt = kPrompts[1], .max_new = 2});
  const RequestId waits = generator.add({.prompt = kPrompts[3], .max_new = 3});
  EXPECT_EQ(generator.step().size(), 2U);
  EXPECT_EQ(generator.waiting(), 1U);
  EXPECT_EQ(generator.step().size(), 2U);  // b's last
  const std::vector<GeneratedToken> joined = generator.step();
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_EQ(joined[1].request, waits);
  generator.remove(a);
  generator.remove(a);
  generator.remove(b);
  EXPECT_EQ(generator.under_way(), 1U);
  const Answers rest = run(generator);
  EXPECT_EQ(rest.size(), 1U);
  const Ids expected = greedy(toy, kPrompts[3], 3);
  EXPECT_EQ(rest.at({waits, 0}), Ids(expected.begin() + 1, expected.end()));
  EXPECT_TRUE(generator.step().empty());
}

TEST(Generator, ReusesWhatBeginsAlikeWithoutChangingTheAnswer) {
  ToyLm toy(roomy(toy_llama()), "cpu");
  Ids shared;
  for (std::int32_t i = 0; i < 20; ++i) {
    shared.push_back(i * 5 % 13);
  }
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 2, .cache_tokens = 100});
  Ids first = shared;
  first.push_back(3);
  Ids second = shared;
  second.push_back(7);
  const RequestId a = generator.add({.prompt = first, .max_new = 8});
  EXPECT_EQ(run(generator).at({a, 0}), greedy(toy, first, 8));
  EXPECT_EQ(generator.reused_tokens(), 0);
  const RequestId b = generator.add({.prompt = second, .max_new = 8});
  EXPECT_EQ(run(generator).at({b, 0}), greedy(toy, second, 8));
  EXPECT_EQ(generator.reused_tokens(), 20);
  const RequestId c = generator.add({.prompt = first, .max_new = 8});  // all but its last token
  EXPECT_EQ(run(generator).at({c, 0}), greedy(toy, first, 8));
  EXPECT_EQ(generator.reused_tokens(), 40);
  for (int i = 0; i < 10; ++i) {  // what is kept makes room
    const RequestId id = generator.add({.prompt = {1, 2}, .max_new = 60});
    EXPECT_EQ(run(generator).at({id, 0}), greedy(toy, {1, 2}, 60));
  }
}

TEST(Generator, StopsAtTheEndAndSaysWhy) {
  ToyLm toy(roomy(toy_gpt2()), "cpu");
  const Ids all = greedy(toy, kPrompts[0], 6);
  const std::int32_t end = all[3];
  const auto count = std::find(all.begin(), all.end(), end) - all.begin() + 1;
  Generator generator(toy.model, toy.region.backend(), {.rules = {.end_ids = {end}}});
  generator.add({.prompt = kPrompts[0]});
  std::vector<GeneratedToken> tokens;
  while (!generator.is_idle()) {
    const std::vector<GeneratedToken> step = generator.step();
    tokens.insert(tokens.end(), step.begin(), step.end());
  }
  ASSERT_EQ(static_cast<std::ptrdiff_t>(tokens.size()), count);
  EXPECT_TRUE(tokens.back().is_end);
  EXPECT_EQ(tokens.back().finish, FinishReason::stop);
}

TEST(Generator, FillsTheContextWhenNoLimitIsGiven) {
  ToyLm toy(toy_gpt2(), "cpu");
  Generator generator(toy.model, toy.region.backend(), {});
  generator.add({.prompt = kPrompts[0]});
  EXPECT_EQ(run(generator).at({1, 0}), greedy(toy, kPrompts[0], 9));
}

TEST(Generator, RefusesWhatItCannotDoInOneLine) {
  ToyLm toy(toy_gpt2(), "cpu");
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 2, .cache_tokens = 14});
  const auto message = [&](const GenerateRequest& request) {
    return message_of<InvalidArgument>([&] { generator.add(request); });
  };
  EXPECT_EQ(message({}), "generate: the prompt is empty, and the model has no token to begin with");
  EXPECT_EQ(message({.prompt = Ids(12, 1)}),
            "generate: the prompt has 12 tokens; the model's context is 12, with at least one new "
            "token");
  EXPECT_EQ(message({.prompt = {1}, .max_new = 0}),
            "generate: 0 new tokens are asked for; at least 1 is needed");
  EXPECT_EQ(message({.prompt = {1}, .max_new = 1000000}),
            "generate: 1000000 new tokens after a prompt of 1 do not fit the model's context of "
            "12; at most 11 do");
  EXPECT_EQ(message({.prompt = {13}}),
            "generate: the prompt has the id 13, outside the vocabulary of 13 tokens");
  EXPECT_EQ(message({.prompt = {1}, .answers = 3}),
            "generate: 3 answers are asked for; between 1 and 2 are possible");
  EXPECT_EQ(message({.prompt = {1}, .max_new = 9, .answers = 2}),
            "generate: 2 answers with 10 tokens each do not fit the cache of 14 tokens");
  EXPECT_EQ(message({.prompt = {1}, .stop = {""}}), "generate: a stop string is empty");
  EXPECT_EQ(message({.prompt = {1}, .stop = std::vector<std::string>(65, "x")}),
            "generate: 65 stop strings; at most 64 are possible");
  EXPECT_EQ(message({.prompt = {1}, .top_logprobs = 101}),
            "generate: log-probabilities of the 101 best tokens; at most 100 are possible");
  EXPECT_EQ(message({.prompt = {1}, .choice = {.top_p = 2.0}}),
            "generate: top-p is 2; it must be above 0 and at most 1");
  EXPECT_TRUE(generator.is_idle());

  ToyModel translation(toy_config(), "cpu");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { Generator wrong(translation.model, translation.region.backend(), {}); }),
            "generate: this model has an encoder; a decoder alone generates text (use translate)");
}

}  // namespace
}  // namespace yona::testing
