#include "yona/tasks/parsing/parsing_figures.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/tree_reader.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

TEST(ParsingFigures, AreEvalbs) {
  const Tree gold = tree_of("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))");
  const Tree other = tree_of("(S (NP (DT the)) (VP (NN cat) (VBZ sleeps)) (. .))");
  const auto figures = parsing_figures({"f1", "complete", "tags"}, {gold, other}, {gold, gold});
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].name, "f1");
  EXPECT_NEAR(figures[0].value, 100.0 * 4 / 6, 1e-9);  // 3 and 1 of 3 brackets each
  EXPECT_NEAR(figures[1].value, 50.0, 1e-9);
  EXPECT_NEAR(figures[2].value, 100.0, 1e-9);
}

TEST(ParsingFigures, NothingRightIsZeroAndOtherNamesAreRefused) {
  const Tree gold = tree_of("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))");
  const Tree flat = tree_of("(TOP (XX the) (XX cat) (XX sleeps))");
  EXPECT_EQ(parsing_figures({"f1"}, {flat}, {gold})[0].value, 0.0);
  EXPECT_THROW(parsing_figures({"bleu"}, {gold}, {gold}), InvalidArgument);
  EXPECT_THROW(parsing_figures({"f1"}, {}, {gold}), InvalidArgument);
}

}  // namespace
}  // namespace yona
