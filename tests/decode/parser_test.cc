#include "yona/decode/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/tree_text.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

SubwordPair parser_subwords() {
  return {Subword(sample_model(SubwordAlgorithm::bpe)),
          whole_symbols(Vocabulary({"</s>", "<unk>", "(S", ")S", "NN", "<pad>"}), "symbols")};
}

// Answers every request by the same symbols.
Parser::Decode answering(const Ids& ids) {
  return [ids](std::span<const DecodeRequest> requests) {
    std::vector<std::vector<Hypothesis>> answers(requests.size());
    for (auto& answer : answers) {
      answer.resize(1);
      answer[0].ids = ids;
    }
    return answers;
  };
}

TEST(Parser, MakesTreesOverExactlyTheWordsWhateverTheModelWrites) {
  const Parser parser(parser_subwords(), {.max_source = 100}, answering({2, 4, 3, 0}));
  const std::vector<Tree> trees = parser.parse({{"dogs"}, {"big", "(dogs)"}, {}});
  ASSERT_EQ(trees.size(), 3U);
  EXPECT_EQ(to_brackets(trees[0]), "(S (NN dogs))");
  EXPECT_EQ(to_brackets(trees[1]), "(S (NN big) (XX -LRB-dogs-RRB-))");
  EXPECT_TRUE(trees[2].empty());
}

TEST(Parser, GivesEachRequestARuleAboutItsWords) {
  std::size_t seen = 0;
  const Parser parser(parser_subwords(), {.max_source = 100},
                      [&](std::span<const DecodeRequest> requests) {
                        for (const DecodeRequest& request : requests) {
                          Ids bans;
                          request.rule->append_bans(Ids{2, 4}, bans);
                          const bool may_end = std::find(bans.begin(), bans.end(), 3) == bans.end();
                          EXPECT_EQ(may_end, seen++ == 0);
                          EXPECT_EQ(request.source.back(), 0);
                        }
                        return answering({2, 3})(requests);
                      });
  parser.parse_ids({{"one"}, {"two", "words"}});
  EXPECT_EQ(seen, 2U);
}

TEST(Parser, ASentenceTooLongForTheModelIsRefusedByItsNumber) {
  const Parser parser(parser_subwords(), {.max_source = 3, .first_number = 10}, answering({}));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                parser.parse({{"a"}, {"many", "words", "and", "more", "of", "them"}});
              }),
              HasSubstr("sentence 11: has "));
}

TEST(Parser, TheSearchIsThePapers) {
  const DecodeOptions options = parse_options({}, parser_subwords().target.vocabulary());
  EXPECT_EQ(options.beam, 21);
  EXPECT_EQ(options.length_penalty, 0.3);
  EXPECT_EQ(options.limit, (LengthLimit{.factor = 1.0, .extra = 300}));
}

}  // namespace
}  // namespace yona::testing
