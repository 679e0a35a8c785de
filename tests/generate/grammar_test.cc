#include "yona/generate/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

// ( … ) nested any number of times around "x"
Grammar nested() {
  Grammar grammar;
  const Grammar::Rule rule = grammar.add_rule();
  grammar.link(grammar.append_text(grammar.start(rule), "x"), grammar.end(rule));
  const Grammar::Node inner =
      grammar.append_call(grammar.append_text(grammar.start(rule), "("), rule);
  grammar.link(grammar.append_text(inner, ")"), grammar.end(rule));
  grammar.link(grammar.append_call(grammar.start(grammar.root()), rule),
               grammar.end(grammar.root()));
  grammar.finish("test");
  return grammar;
}

std::string message_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Grammar, ARuleThatCallsItselfDescribesNestedText) {
  const Grammar grammar = nested();
  EXPECT_TRUE(matches(grammar, "x"));
  EXPECT_TRUE(matches(grammar, "(((x)))"));
  EXPECT_FALSE(matches(grammar, "((x)"));
  EXPECT_FALSE(matches(grammar, "(x))"));
}

TEST(Grammar, ATextThatCannotBeCompletedIsNotBegun) {
  Grammar grammar;
  const Grammar::Node start = grammar.start(grammar.root());
  grammar.append_text(start, "dead");  // leads nowhere
  grammar.link(grammar.append_text(start, "dog"), grammar.end(grammar.root()));
  grammar.finish("test");
  GrammarMachine machine(grammar);
  EXPECT_EQ(machine.step(machine.begin(), std::string_view("de")), GrammarMachine::kDead);
  EXPECT_TRUE(matches(machine, "dog"));
}

TEST(Grammar, WithoutAnyTextItIsRefused) {
  Grammar endless;  // each call makes another one
  const Grammar::Rule rule = endless.add_rule();
  const Grammar::Node inner =
      endless.append_call(endless.append_text(endless.start(rule), "["), rule);
  endless.link(inner, endless.end(rule));
  endless.link(endless.append_call(endless.start(endless.root()), rule),
               endless.end(endless.root()));
  EXPECT_EQ(message_of([&] { endless.finish("test"); }),
            "test: it cannot be met: no text matches it");
}

TEST(Grammar, ARuleThatCallsItselfBeforeAnyTextIsRefused) {
  Grammar grammar;
  const Grammar::Rule rule = grammar.add_rule();
  grammar.link(grammar.append_text(grammar.start(rule), "x"), grammar.end(rule));
  grammar.link(grammar.append_text(grammar.append_call(grammar.start(rule), rule), "y"),
               grammar.end(rule));
  grammar.link(grammar.append_call(grammar.start(grammar.root()), rule),
               grammar.end(grammar.root()));
  EXPECT_EQ(message_of([&] { grammar.finish("test"); }),
            "test: it refers to itself before any text");
}

TEST(Grammar, TooManyNodesAreRefused) {
  Grammar grammar;
  const std::string text(Grammar::kMostNodes, 'x');
  EXPECT_THAT(message_of([&] { grammar.append_text(0, text); }),
              ::testing::HasSubstr("the description is too large"));
}

TEST(Grammar, TooManyTransitionsAreRefused) {
  Grammar grammar;  // as (?:||||…){…} makes them: none has a node of its own
  EXPECT_THAT(message_of([&] {
                for (std::size_t i = 0; i <= Grammar::kMostEdges; ++i) {
                  grammar.link(grammar.start(grammar.root()), grammar.end(grammar.root()));
                }
              }),
              ::testing::HasSubstr("the description is too large"));
}

}  // namespace
}  // namespace yona
