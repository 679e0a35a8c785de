#include "yona/generate/grammar_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/generate/json_grammar.h"
#include "yona/generate/json_schema.h"
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

std::string message_while_matching(GrammarMachine& machine, std::string_view letters) {
  RandomSequence numbers(1);
  std::string text;
  try {
    for (int i = 0; i < 2'000'000; ++i) {
      text += letters[numbers.below(letters.size())];
      if (text.size() == 20) {
        machine.step(machine.begin(), text);
        text.clear();
      }
    }
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(GrammarMachine, LongWaysWithoutABytesAreWalkedSoManyTimesOnly) {
  // Each of up to 2^15 states is found by walking along 5,000 nodes.
  GrammarMachine machine(regex_grammar("(?:[ab](?:){5000})*|[ab]*a[ab]{14}"));
  EXPECT_THAT(message_while_matching(machine, "ab"), ::testing::HasSubstr("too many steps"));
}

// Any later property may follow each of them, and every byte is tried at every place.
TEST(GrammarMachine, ObjectsOfManyOptionalPropertiesAreWithinTheLimits) {
  Json properties;
  std::string text = "{";
  for (int i = 0; i < 200; ++i) {
    const std::string name = "field_" + std::to_string(i);
    properties[name] = {{"type", i % 3 == 0 ? "integer" : "string"}};
    text += (i == 0 ? "\"" : ", \"") + name + (i % 3 == 0 ? "\": 42" : "\": \"a word\"");
  }
  text += "}";
  GrammarMachine machine(json_schema_grammar(
      {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}));
  GrammarMachine::State state = machine.begin();
  for (const char each : text) {
    for (int byte = 0; byte < 256; ++byte) {
      machine.step(state, static_cast<std::uint8_t>(byte));
    }
    state = machine.step(state, static_cast<std::uint8_t>(each));
    ASSERT_NE(state, GrammarMachine::kDead);
  }
  EXPECT_TRUE(machine.may_end(state));
}

TEST(GrammarMachine, TheMemoryOfStatesIsLimited) {
  GrammarMachine machine(regex_grammar("[ab]*a[ab]{60}"));
  EXPECT_THAT(message_while_matching(machine, "ab"), ::testing::HasSubstr("too many states"));
}

}  // namespace
}  // namespace yona
