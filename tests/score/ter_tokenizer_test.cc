#include "yona/score/ter_tokenizer.h"

#include <gtest/gtest.h>

#include "yona/score/unicode.h"

#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

TEST(TerTokenizer, CutsAsSacreBleuDoes) {
  const Json fixture = score_fixture("tokenizers");
  for (const Json& made : fixture["ter"]) {
    for (std::size_t i = 0; i < fixture["lines"].size(); ++i) {
      const std::u32string line = to_code_points(fixture["lines"][i].get<std::string>());
      const std::u32string text = tokenize_for_ter(ter_options(made["options"]), strip_right(line));
      const std::u32string expected = to_code_points(made["tokens"][i].get<std::string>());
      EXPECT_EQ(split(text), split(expected)) << made["options"] << " " << fixture["lines"][i];
    }
  }
}

}  // namespace
}  // namespace yona::testing
