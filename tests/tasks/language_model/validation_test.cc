#include "yona/tasks/language_model/validation.h"

#include <gtest/gtest.h>

#include "yona/io/causal_lm/language_model.h"
#include "yona/tasks/language_model/perplexity.h"

#include "tests/harness/op_case.h"
#include "tests/tasks/language_model/toy_text.h"

namespace yona::testing {
namespace {

class LmValidationTest : public ToyText {};

// One window holds the whole text, so that both predict every token from all before it; a
// validation also predicts the end of the text.
TEST_F(LmValidationTest, TheLossIsThatOfThePerplexityOfTheSameText) {
  write_bytes(folder_ / "valid.txt", "the cat sees the dog<|endoftext|>");
  KeptReports reports;
  const RunConfig settings = config({{"data.packing", "stream", ""}, {"train.updates", "6", ""}});
  run(settings, "run", {.threads = 1, .reporter = &reports});
  const auto model = LanguageModel::load(folder_ / "run", shared_backend("cpu"));
  const Perplexity whole =
      perplexity(model->model(), model->tokenizer(), "the cat sees the dog<|endoftext|>", {},
                 shared_backend("cpu"));
  ASSERT_EQ(reports.validations.size(), 1U);
  EXPECT_EQ(whole.tokens, 20);
  EXPECT_EQ(reports.validations[0].predictions, 21);
  const double without_end = reports.validations[0].loss * 21 - whole.nll;
  EXPECT_GT(without_end, 0.0);
  EXPECT_LT(without_end, 12.0);  // of the one token more
}

TEST_F(LmValidationTest, EveryTokenCountsOnceWhateverTheContext) {
  const std::string text = read_bytes(folder_ / "valid.txt");
  for (const char* context : {"5", "16", "32"}) {
    KeptReports reports;
    run(config({{"data.context", context, ""}, {"train.updates", "6", ""}}), context,
        {.threads = 1, .reporter = &reports});
    ASSERT_EQ(reports.validations.size(), 1U);
    EXPECT_EQ(reports.validations[0].predictions, static_cast<std::int64_t>(text.size()));
  }
}

}  // namespace
}  // namespace yona::testing
