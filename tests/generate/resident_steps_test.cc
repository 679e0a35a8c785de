#include "yona/generate/resident_steps.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/generate/generator.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

using TokenIds = std::vector<std::int32_t>;

CausalLmConfig with_room(CausalLmConfig config) {
  config.max_positions = 64;
  return config;
}

const std::vector<TokenIds> kTexts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10, 11, 12, 1, 2}};

// What a Generator gives, in which the host chooses on a CPU.
std::vector<TokenIds> answers_of(ToyLm& toy, const TokenChoiceOptions& choice, std::int64_t count) {
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 3});
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    generator.add({.prompt = kTexts[i], .max_new = count, .choice = choice, .sequence = i});
  }
  std::vector<TokenIds> answers(kTexts.size());
  while (!generator.is_idle()) {
    for (const GeneratedToken& token : generator.step()) {
      answers[token.request - 1].push_back(token.token);
    }
  }
  return answers;
}

// All but the last token of each text into the cache.
std::vector<ResidentRow> begin_texts(ToyLm& toy, SequenceCache& cache,
                                     const TokenChoiceOptions& choice, std::int64_t count) {
  std::vector<ResidentRow> rows;
  Context c{.region = toy.region, .cache = &cache};
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    const TokenIds& text = kTexts[i];
    const auto cached = static_cast<std::int64_t>(text.size()) - 1;
    rows.push_back({.token = text.back(),
                    .first = cache.allocate(40).value_or(-1),
                    .cached = cached,
                    .choice = choice});
    const GenerateRequest request{.prompt = text, .choice = choice, .sequence = i};
    const Answer answer(i + 1, 0, std::make_shared<GenerateRequest>(request), count, {});
    for (std::int64_t step = 0; step < count; ++step) {
      rows.back().numbers.push_back(answer.number_of_draw(step));
    }
    const std::vector<SequencePart> part{
        {.first = rows.back().first, .cached = 0, .fresh = std::max<std::int64_t>(cached, 1)}};
    cache.begin_step(part);
    Tensor ids(toy.region, DType::i32, Shape{part.front().fresh});
    ids.upload(TokenIds(text.begin(), text.begin() + part.front().fresh));
    toy.model.decode({ids, cache.layout()}, {}, c);
  }
  return rows;
}

TEST(ResidentSteps, ChooseTheTokensThatTheHostChooses) {
  const TokenChoiceOptions choices[] = {{},
                                        {.temperature = 1.3},
                                        {.temperature = 0.8, .top_k = 4},
                                        {.temperature = 1.0, .top_p = 0.7, .min_p = 0.05}};
  for (const CausalLmConfig& config : {with_room(toy_gpt2()), with_room(toy_llama())}) {
    for (const TokenChoiceOptions& choice : choices) {
      SCOPED_TRACE(choice.temperature);
      constexpr std::int64_t kCount = 12;
      ToyLm toy(config, "cpu");
      const std::vector<TokenIds> expected = answers_of(toy, choice, kCount);
      SequenceCache cache(toy.region, 120);
      const std::vector<ResidentRow> rows = begin_texts(toy, cache, choice, kCount);
      ResidentSteps steps(toy.model, cache, toy.region.backend(), Precision::f32);
      const TokenIds tokens = steps.run(rows, kCount);
      ASSERT_EQ(tokens.size(), kCount * rows.size());
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        EXPECT_EQ(tokens[i], expected[i % rows.size()][i / rows.size()]) << i;
      }
    }
  }
}

TEST(ResidentSteps, RefuseMoreStepsThanTheyHaveRoomFor) {
  ToyLm toy(with_room(toy_gpt2()), "cpu");
  SequenceCache cache(toy.region, 120);
  ResidentSteps steps(toy.model, cache, toy.region.backend(), Precision::f32);
  EXPECT_THAT(message_of<InvalidArgument>([&] { steps.run({}, 33); }),
              ::testing::HasSubstr("a run of 33 steps; at most 32"));
  EXPECT_FALSE(ResidentSteps::suits(toy.model, toy.region.backend()));
}

}  // namespace
}  // namespace yona::testing
