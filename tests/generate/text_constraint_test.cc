#include "yona/generate/text_constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/generate/regex.h"

namespace yona {
namespace {

const std::vector<std::string> kTokens{"", "a", "b", "ab", "ba", "c", "aab", "é"};

TextConstraint constraint_of(const std::string& regex) {
  return {regex_grammar(regex), std::make_shared<TokenTrie>(kTokens), {0}};
}

std::vector<std::int32_t> allowed_of(TextConstraint& constraint, TextConstraint::State state) {
  const TokenMask& mask = constraint.allowed(state);
  std::vector<std::int32_t> tokens;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(kTokens.size()); ++id) {
    if (mask.has(id)) {
      tokens.push_back(id);
    }
  }
  EXPECT_EQ(mask.count(), static_cast<std::int64_t>(tokens.size()));
  return tokens;
}

TEST(TextConstraint, AllowsTheTokensThatContinueTheText) {
  TextConstraint constraint = constraint_of("a+b?");
  const TextConstraint::State begin = constraint.begin();
  EXPECT_EQ(allowed_of(constraint, begin), (std::vector<std::int32_t>{1, 3, 6}));
  const TextConstraint::State after_a = constraint.advance(begin, 1);
  EXPECT_EQ(allowed_of(constraint, after_a), (std::vector<std::int32_t>{0, 1, 2, 3, 6}));
  EXPECT_TRUE(constraint.may_end(after_a));
  EXPECT_FALSE(constraint.must_end(after_a));
  const TextConstraint::State after_aab = constraint.advance(after_a, 6);
  EXPECT_EQ(allowed_of(constraint, after_aab), (std::vector<std::int32_t>{0}));
  EXPECT_TRUE(constraint.must_end(after_aab));
  EXPECT_EQ(constraint.advance(after_aab, 0), after_aab);
}

TEST(TextConstraint, CharactersOfSeveralBytesAreWhole) {
  TextConstraint constraint = constraint_of("[é-ü]");
  EXPECT_EQ(allowed_of(constraint, constraint.begin()), (std::vector<std::int32_t>{7}));
}

TEST(TextConstraint, ATokenThatIsNotAllowedIsRefused) {
  TextConstraint constraint = constraint_of("ab");
  EXPECT_THROW(constraint.advance(constraint.begin(), 2), InvalidArgument);
  EXPECT_THROW(constraint.advance(constraint.begin(), 0), InvalidArgument);
  EXPECT_THROW(constraint.advance(constraint.begin(), 99), InvalidArgument);
  EXPECT_THROW(constraint.advance(constraint.begin(), -1), InvalidArgument);
}

TEST(TextConstraint, AVocabularyThatCannotContinueIsAnError) {
  TextConstraint constraint = constraint_of("ax");
  const TextConstraint::State after_a = constraint.advance(constraint.begin(), 1);
  try {
    constraint.allowed(after_a);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("no token of the vocabulary continues it"));
  }
}

TEST(TextConstraint, MasksAreTheSameWhenTheyWereForgotten) {
  TextConstraint constraint = constraint_of("(?:a|b|c){600}");
  std::vector<TextConstraint::State> states{constraint.begin()};
  for (int i = 0; i < 600; ++i) {
    constraint.allowed(states.back());
    states.push_back(constraint.advance(states.back(), 1 + i % 2));
  }
  EXPECT_EQ(allowed_of(constraint, states[0]), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(allowed_of(constraint, states[598]), (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(allowed_of(constraint, states[599]), (std::vector<std::int32_t>{1, 2, 5}));
}

}  // namespace
}  // namespace yona
