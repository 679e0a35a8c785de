#include "yona/generate/grammar_machine.h"

#include <gtest/gtest.h>

#include "yona/generate/json_grammar.h"
#include "yona/generate/regex.h"

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

TEST(GrammarMachine, TheSamePlaceIsTheSameState) {
  GrammarMachine machine(regex_grammar("(ab)*"));
  const GrammarMachine::State once = machine.step(machine.begin(), std::string_view("ab"));
  EXPECT_EQ(machine.step(once, std::string_view("abab")), once);
  EXPECT_TRUE(machine.may_end(machine.begin()));
  EXPECT_FALSE(machine.may_end(machine.step(once, 'a')));
}

TEST(GrammarMachine, ManyAlternativesInALoopNeedFewStates) {
  GrammarMachine machine(regex_grammar("(?:a|b|ab|ba|aab|bba)*"));
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    text += i % 3 == 0 ? "a" : "b";
  }
  EXPECT_TRUE(matches(machine, text));
}

TEST(GrammarMachine, NestingDeeperThanTheLimitIsNotMatched) {
  GrammarMachine machine(json_object_grammar());
  const auto nested = [](std::size_t depth) {
    return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(matches(machine, nested(20)));
  EXPECT_FALSE(matches(machine, nested(GrammarMachine::kMostDepth + 1)));
}

}  // namespace
}  // namespace yona
