#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/text/subword.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class Vocab : public ::testing::Test {
 protected:
  Vocab() {
    std::string english;
    std::string german;
    for (int i = 0; i < 200; ++i) {
      english += fmt::format("the house number {} is old and red\n", i);
      german += fmt::format("das Haus Nummer {} ist alt und rot\n", i);
    }
    write_bytes(folder_ / "a.en", english);
    write_bytes(folder_ / "a.de", german);
  }

  ProgramResult vocab(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"vocab", "--train-src", folder_ / "a.en", "--train-tgt",
                                       folder_ / "a.de"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yona(arguments);
  }

  TempDir folder_;
};

TEST_F(Vocab, TrainsASharedOneThatLoads) {
  const std::string output = folder_ / "new/vocab";
  const ProgramResult result = vocab({"--vocab-size", "400", "--output", output, "--tags", "<BT>"});
  ASSERT_EQ(result.code, 0) << result.err;
  const SubwordPair subwords = SubwordPair::load(output);
  EXPECT_TRUE(subwords.has_shared_vocabulary());
  EXPECT_LE(subwords.source.vocabulary().size(), 400);
  EXPECT_TRUE(subwords.source.vocabulary().find("<BT>").has_value());
  EXPECT_THAT(result.out, HasSubstr(" pieces in " + output));
}

TEST_F(Vocab, TrainsSeparateOnesAndSaysSoInJson) {
  const std::string output = folder_ / "vocab";
  const ProgramResult result = vocab(
      {"--vocab-size", "380", "--output", output, "--separate", "--subwords", "unigram", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  const SubwordPair subwords = SubwordPair::load(output);
  EXPECT_FALSE(subwords.has_shared_vocabulary());
  EXPECT_EQ(json.at("source_vocabulary"), subwords.source.vocabulary().size());
  EXPECT_EQ(json.at("target_vocabulary"), subwords.target.vocabulary().size());
  EXPECT_EQ(json.at("shared"), false);
  EXPECT_EQ(subwords.source.algorithm(), SubwordAlgorithm::unigram);
}

TEST_F(Vocab, DoesNotOverwriteOne) {
  const std::string output = folder_ / "vocab";
  ASSERT_EQ(vocab({"--vocab-size", "400", "--output", output}).code, 0);
  const std::string before = read_bytes(folder_ / "vocab/vocab.json");
  const ProgramResult again = vocab({"--vocab-size", "390", "--output", output});
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("holds a vocabulary already; choose another folder"));
  EXPECT_EQ(read_bytes(folder_ / "vocab/vocab.json"), before);
}

TEST_F(Vocab, ComplainsAboutWhatIsMissingOrWrong) {
  const auto complaint = [](const ProgramResult& result) {
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  EXPECT_EQ(complaint(run_yona({"vocab"})),
            "yona: vocab: --train-src is missing; name the files of the source language\n");
  EXPECT_EQ(complaint(run_yona({"vocab", "--train-src", "x"})),
            "yona: vocab: --train-tgt is missing; name the files of the target language\n");
  EXPECT_EQ(complaint(vocab({})),
            "yona: vocab: --output is missing; name a folder for the "
            "sub-words\n");
  EXPECT_EQ(complaint(run_yona({"vocab", "--train-src", "/none.en", "--train-tgt", "/none.de",
                                "--output", folder_ / "v"})),
            "yona: --train-src: /none.en: no such file\n");
  EXPECT_THAT(complaint(run_yona({"vocab", "--train-src", folder_.path(), "--train-tgt", "/none.de",
                                  "--output", folder_ / "v"})),
              HasSubstr("is a folder, not a file"));
  EXPECT_EQ(complaint(vocab({"--output", "v", "--subwords", "bep"})),
            "yona: --subwords: expected bpe or unigram, got 'bep'\n");
  EXPECT_FALSE(std::filesystem::exists("v"));
}

TEST_F(Vocab, FailsWhereTheFolderCannotBeMade) {
  write_bytes(folder_ / "file", "x");
  const ProgramResult result = vocab({"--output", folder_ / "file/vocab"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot be made"));
}

}  // namespace
}  // namespace yona::testing
