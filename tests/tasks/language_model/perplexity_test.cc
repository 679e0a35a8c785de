#include "yona/tasks/language_model/perplexity.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/causal_lm/language_model.h"

#include "tests/harness/lm_folder.h"
#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    "the quick brown fox jumps over the lazy dog\nand then it sleeps for 12 hours\n\na cat sees 3 "
    "dogs\n";

// What the recipe of transformers' documentation, "Perplexity of fixed-length models", prints for
// LmFolder's model in f32 and the ids of kText (transformers 5.23.0, torch 2.15.0): exp(avg_nll) of
// its windows. `nll` is the sum over the tokens that are predicted.
struct Expected {
  std::int64_t context, stride;
  double per_token, nll;
  std::int64_t tokens, windows;
};
constexpr std::array kRecipe{Expected{24, 24, 134.28927388, 445.899657, 91, 4},
                             Expected{24, 12, 122.22387273, 450.471210, 94, 7},
                             Expected{24, 7, 129.40434658, 455.193489, 94, 12},
                             Expected{16, 5, 141.77884829, 464.323406, 94, 17},
                             Expected{24, 1, 224.67474489, 453.135981, 94, 72}};

bool same_window(const PerplexityWindow& a, std::int64_t begin, std::int64_t length,
                 std::int64_t predicted) {
  return a.begin == begin && a.length == length && a.predicted == predicted;
}

class PerplexityTest : public ::testing::Test {
 protected:
  Perplexity of(std::string_view text, const PerplexityOptions& options = {}) {
    return perplexity(model_->model(), model_->tokenizer(), text, options, shared_backend("cpu"));
  }

  LmFolder folder_;
  std::unique_ptr<LanguageModel> model_ =
      LanguageModel::load(folder_.path(), shared_backend("cpu"));
};

TEST_F(PerplexityTest, EqualsTheRecipeOfTransformersWithAnyWindowAndStride) {
  for (const Expected& expected : kRecipe) {
    const Perplexity result = of(kText, {.context = expected.context, .stride = expected.stride});
    EXPECT_NEAR(result.per_token / expected.per_token, 1.0, 1e-5) << expected.stride;
    EXPECT_NEAR(result.nll, expected.nll, 1e-3);
    EXPECT_EQ(result.tokens, expected.tokens);
    EXPECT_EQ(result.windows, expected.windows);
    EXPECT_EQ(result.words, 21);
    EXPECT_EQ(result.bytes, 95);
    const double nll = expected.nll * 94 / static_cast<double>(expected.tokens);
    EXPECT_NEAR(std::log(result.per_word), nll / 21, 1e-4);
    EXPECT_NEAR(std::log(result.per_byte), nll / 95, 1e-4);
    EXPECT_NEAR(result.bits_per_byte, nll / 95 / std::log(2.0), 1e-4);
  }
}

// The tokens of this model are bytes.
TEST_F(PerplexityTest, FiguresPerByteCountTheTokensThatWindowsBeginWith) {
  const Perplexity result = of(kText, {.context = 2});
  EXPECT_EQ(result.tokens, 47);
  EXPECT_NEAR(std::log(result.per_byte) * 95 / 94, result.nll / 47, 1e-9);
}

TEST_F(PerplexityTest, TakesAllPositionsWithoutOverlapByDefault) {
  EXPECT_EQ(of(kText).nll, of(kText, {.context = 24, .stride = 24}).nll);
  EXPECT_EQ(of(kText, {.context = 16}).nll, of(kText, {.context = 16, .stride = 16}).nll);
}

TEST_F(PerplexityTest, ATextWithinOneWindowIsPredictedOnce) {
  const Perplexity result = of("ab");
  EXPECT_EQ(result.tokens, 1);
  EXPECT_EQ(result.windows, 1);
  EXPECT_NEAR(result.per_token, std::exp(result.nll), 1e-9);
}

// With a last window of one token the recipe's mean would be that of nothing.
TEST_F(PerplexityTest, AWindowOfOneTokenPredictsNothing) {
  const std::string text(25, 'a');
  const Perplexity result = of(text);
  EXPECT_EQ(result.tokens, 23);
  EXPECT_EQ(result.windows, 1);
  EXPECT_TRUE(std::isfinite(result.per_token));
}

TEST_F(PerplexityTest, ATextWithoutWordsHasNoFigurePerWord) {
  const Perplexity result = of("\n\n\n");
  EXPECT_EQ(result.words, 0);
  EXPECT_TRUE(std::isnan(result.per_word));
  EXPECT_TRUE(std::isfinite(result.per_byte));
}

TEST_F(PerplexityTest, RefusesWhatCannotBeComputed) {
  const auto refused = [&](std::string_view text, const PerplexityOptions& options) {
    return message_of<InvalidArgument>([&] { of(text, options); });
  };
  EXPECT_THAT(refused("a", {}), HasSubstr("a text of 1 token has nothing to predict"));
  EXPECT_THAT(refused("", {}), HasSubstr("a text of 0 tokens has nothing to predict"));
  EXPECT_THAT(refused("abc", {.context = 25}),
              HasSubstr("a context of 25 tokens is not between 2 and the model's 24 positions"));
  EXPECT_THAT(refused("abc", {.context = 1}), HasSubstr("a context of 1 token is not between 2"));
  EXPECT_THAT(refused("abc", {.context = 8, .stride = 9}),
              HasSubstr("a stride of 9 tokens leaves gaps between windows of 8"));
}

TEST(PerplexityWindows, EachTokenIsPredictedInOneWindow) {
  const auto windows = perplexity_windows(10, 6, 2);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_TRUE(same_window(windows[0], 0, 6, 6));
  EXPECT_TRUE(same_window(windows[1], 2, 6, 2));
  EXPECT_TRUE(same_window(windows[2], 4, 6, 2));
  EXPECT_TRUE(same_window(perplexity_windows(3, 6, 2).at(0), 0, 3, 3));
  EXPECT_TRUE(perplexity_windows(0, 6, 2).empty());
}

}  // namespace
}  // namespace yona::testing
