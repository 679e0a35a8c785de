#include "yona/generate/constraint_filter.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/generate/regex.h"

namespace yona {
namespace {

TEST(ConstraintFilter, BarsWhatDoesNotContinueTheText) {
  const std::vector<std::string> tokens{"", "a", "b", "ab", "c"};
  const auto constraint = std::make_shared<TextConstraint>(
      regex_grammar("ab?"), std::make_shared<TokenTrie>(tokens), std::vector<std::int32_t>{0});
  ConstraintFilter filter(constraint);
  const auto barred = [&] {
    std::vector<float> logits(70, 1.0F);  // a model may have more ids than its tokeniser
    filter.bar(logits);
    std::vector<std::int32_t> left;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] > -INFINITY) {
        left.push_back(static_cast<std::int32_t>(i));
      }
    }
    return left;
  };
  EXPECT_EQ(barred(), (std::vector<std::int32_t>{1, 3}));
  EXPECT_FALSE(filter.must_end());
  filter.advance(1);
  EXPECT_EQ(barred(), (std::vector<std::int32_t>{0, 2}));
  EXPECT_FALSE(filter.must_end());
  filter.advance(2);
  EXPECT_TRUE(filter.must_end());
}

}  // namespace
}  // namespace yona
