// The choice of tokens on the device, and generation with it.

#include "yona/generate/generator.h"

#include "tests/backend/cuda/both.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

class CudaNextTokens : public CudaTest {};

TEST_F(CudaNextTokens, AreThoseOfTheReference) {
  const TokenChoiceNumbers choices[] = {
      {},
      {.temperature = 1.0},
      {.temperature = 0.7, .top_k = 5},
      {.temperature = 1.0, .top_p = 0.8},
      {.temperature = 1.5, .top_p = 0.9, .min_p = 0.02, .top_k = 40},
      {.temperature = 1.0, .min_p = 0.1}};
  for (const std::int64_t V : {1, 13, 1024, 50257}) {
    constexpr std::int64_t kRows = 64;
    const Both logits(kRows, V, DType::f32, 7);
    std::vector<double> chosen;  // TokenChoiceNumbers
    for (std::size_t r = 0; r < kRows; ++r) {
      const TokenChoiceNumbers& choice = choices[r % std::size(choices)];
      for (const double number :
           {choice.temperature, choice.top_p, choice.min_p, std::bit_cast<double>(choice.top_k)}) {
        chosen.push_back(number);
      }
    }
    const Numbers<double> numbers(random_values(kRows, 8, 0, 1));
    const Numbers<double> rules(chosen);
    const Numbers<std::int32_t> zeros(std::vector<std::int32_t>(6 * kRows, 0));
    run(&Kernels::next_tokens, [&](bool on) {
      auto* lists = (on ? zeros.device : zeros.host).data<std::int32_t>();
      return NextTokensArgs{.logits = logits.view(on),
                            .choices = reinterpret_cast<const TokenChoiceNumbers*>(rules.data(on)),
                            .numbers = numbers.data(on),
                            .rows = {.ids = lists,
                                     .positions = lists + kRows,
                                     .counts = lists + 2 * kRows,
                                     .places = lists + 3 * kRows,
                                     .steps = lists + 4 * kRows},
                            .tokens = lists + 5 * kRows};
    });
    SCOPED_TRACE(V);
    EXPECT_EQ(zeros.device.to_vector<std::int32_t>(), zeros.host.to_vector<std::int32_t>());
  }
}

TEST_F(CudaNextTokens, RowsArePutWhereTheReferencePutsThem) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const std::int64_t cols : {1, 8, 257, 1536}) {
      const Numbers<std::int32_t> places({7, -1, 3, 0, 11});
      const Both x(5, cols, dtype, 1);
      const Both y(12, cols, dtype, 2);
      run(&Kernels::put_rows, [&](bool on) {
        return PutRowsArgs{.x = x.view(on), .y = y.view(on), .rows = places.data(on)};
      });
      y.expect_equal("y", 0.0);
    }
  }
}

using AnswerTokens = std::vector<std::vector<std::int32_t>>;

AnswerTokens generated(const CausalLmConfig& config, const char* device,
                       const TokenChoiceOptions& choice) {
  ToyLm toy(config, device);
  Generator generator(toy.model, toy.region.backend(), {.max_batch = 5});
  const AnswerTokens prompts{{1, 2, 3}, {4}, {5, 6, 7, 8, 9, 10, 11, 12, 1, 2}, {0, 0}, {3, 1}};
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    generator.add({.prompt = prompts[i],
                   .max_new = static_cast<std::int64_t>(10 + 9 * i),
                   .choice = choice,
                   .sequence = i});
  }
  AnswerTokens answers(prompts.size());
  while (!generator.is_idle()) {
    for (const GeneratedToken& token : generator.step()) {
      answers[token.request - 1].push_back(token.token);
    }
  }
  return answers;
}

TEST_F(CudaNextTokens, MakeTheTextsOfTheCpu) {
  CausalLmConfig gpt2 = toy_gpt2();
  CausalLmConfig llama = toy_llama();
  gpt2.max_positions = llama.max_positions = 128;
  for (const CausalLmConfig& config : {gpt2, llama}) {
    for (const TokenChoiceOptions& choice :
         {TokenChoiceOptions{}, TokenChoiceOptions{.temperature = 1.0, .top_p = 0.9}}) {
      EXPECT_EQ(generated(config, "cuda", choice), generated(config, "cpu", choice));
    }
  }
}

}  // namespace
}  // namespace yona::testing
