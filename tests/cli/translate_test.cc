// `yona translate` as a user sees it: what comes out, and in which form.

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "yona/base/json.h"

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> pieces_of(const Json& translation) {
  std::vector<std::string> pieces;
  for (const Json& token : translation.at("tokens")) {
    pieces.push_back(token.at("piece"));
  }
  return pieces;
}

TEST_F(Translate, GivesALineForALineInOrder) {
  const std::string input = fmt::format("{}\n\n{}\n \n{}", line(0), line(1), line(0));
  const ProgramResult result = translate(input);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[0], lines[4]);
  EXPECT_NE(lines[0], "");
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Translate, OfAnEmptyFileIsEmpty) {
  const ProgramResult result = translate("");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(Translate, WritesAFile) {
  const ProgramResult result = translate(line(0) + "\n", {"--output", folder_ / "out.de"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_bytes(folder_ / "out.de"), translate(line(0)).out);
}

TEST_F(Translate, WritesNBestListsNumberedFromZero) {
  const ProgramResult result = translate(line(0) + "\n" + line(1) + "\n", {"--n-best", "3"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[0], StartsWith("0 ||| "));
  EXPECT_THAT(lines[3], StartsWith("1 ||| "));
  EXPECT_THAT(lines[0], HasSubstr(" ||| F0= -"));
}

TEST_F(Translate, WritesJsonThatCanBeRead) {
  const ProgramResult result = translate("\n" + line(2) + "\n", {"--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(Json::parse(lines[0]).at("translations").at(0).at("text"), "");
  const Json json = Json::parse(lines[1]);
  EXPECT_EQ(json.at("line"), 2);
  EXPECT_EQ(json.at("source"), line(2));
  const Json& best = json.at("translations").at(0);
  EXPECT_EQ(best.at("text").get<std::string>() + "\n", translate(line(2)).out);
  double sum = 0;
  for (const Json& token : best.at("tokens")) {
    sum += token.at("score").get<double>();
  }
  EXPECT_NEAR(sum, best.at("log_probability").get<double>(), 1e-4);
}

TEST_F(Translate, SamplesTheSameWithTheSameSeed) {
  const std::vector<std::string> flags{"--sample", "--seed", "7"};
  const std::string once = translate(line(0), flags).out;
  EXPECT_EQ(once, translate(line(0), flags).out);
}

// An output whose pieces are those that its text is cut into costs the same when it is forced.
TEST_F(Translate, ScoresTargetsAsItScoredItsOwn) {
  std::string input;
  for (std::size_t i = 0; i < 30; ++i) {
    input += line(i) + "\n";
  }
  write_bytes(folder_ / "targets", translate(input).out);
  const auto searched = lines_of(translate(input, {"--json"}).out);
  const ProgramResult result = translate(input, {"--json", "--score-targets", folder_ / "targets"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto forced = lines_of(result.out);
  ASSERT_THAT(forced, SizeIs(30));
  int compared = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    const Json ours = Json::parse(forced[i]).at("translations").at(0);
    const Json best = Json::parse(searched[i]).at("translations").at(0);
    EXPECT_EQ(ours.at("text"), best.at("text"));
    if (pieces_of(ours) == pieces_of(best)) {
      ++compared;
      EXPECT_NEAR(ours.at("score").get<double>(), best.at("score").get<double>(), 1e-4);
      EXPECT_NEAR(ours.at("log_probability").get<double>(),
                  best.at("log_probability").get<double>(), 1e-4);
    }
  }
  EXPECT_GT(compared, 0);
}

TEST_F(Translate, WritesScoresOfTargetsAsAnNBestList) {
  write_bytes(folder_ / "targets", "zwei\n\n");
  const ProgramResult result =
      translate(line(0) + "\n\n", {"--score-targets", folder_ / "targets"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0], MatchesRegex("0 \\|\\|\\| zwei \\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+"));
  EXPECT_THAT(lines[1], StartsWith("1 |||  ||| F0= -"));  // </s> alone has a cost
}

TEST_F(Translate, WritesAlignmentsAndWordScoresForTheWordsOfEachLine) {
  const ProgramResult result =
      translate(line(0) + "\n" + line(1), {"--alignment", "hard", "--word-scores"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto texts = lines_of(translate(line(0) + "\n" + line(1)).out);
  const auto lines = lines_of(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    const auto words = std::count(texts[i].begin(), texts[i].end(), ' ') + 1;
    std::string pattern = " \\|\\|\\|( [0-9]+-[0-9]+)+ \\|\\|\\| WordScores=";
    for (std::ptrdiff_t word = 0; word < words; ++word) {
      pattern += " -?[0-9.e-]+";
    }
    ASSERT_THAT(lines[i], StartsWith(texts[i]));
    EXPECT_THAT(lines[i].substr(texts[i].size()), MatchesRegex(pattern));
  }
}

TEST_F(Translate, WritesSoftAlignmentsThatSumToAtMostOne) {
  const ProgramResult result = translate(line(0), {"--alignment", "soft", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json best = Json::parse(result.out).at("translations").at(0);
  ASSERT_FALSE(best.at("alignment").empty());
  EXPECT_EQ(best.at("alignment").size(), best.at("word_scores").size());
  for (const Json& row : best.at("alignment")) {
    double sum = 0;
    for (const Json& weight : row) {
      sum += weight.get<double>();
    }
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, 1.0001);  // </s> has the rest
  }
}

TEST_F(Translate, IsAnEnsembleWithSeveralModels) {
  const std::string path = model_->path();
  const ProgramResult twice = translate(line(0), {"--model", path});  // the same once more
  EXPECT_EQ(twice.code, 0) << twice.err;
  EXPECT_EQ(twice.out, translate(line(0)).out);
}

TEST_F(Translate, SaysWhatIsWrongWithItsFlags) {
  const struct {
    std::vector<std::string> flags;
    std::string message;
  } cases[] = {
      {{"--beam", "0"}, "--beam: '0' is given"},
      {{"--beam", "2", "--n-best", "3"}, "--n-best: 3 hypotheses are asked of a beam of 2"},
      {{"--top-k", "5"}, "add --sample"},
      {{"--beam-mode", "papr"}, "--beam-mode"},
      {{"--length-penalty", "much"}, "--length-penalty: 'much' is given"},
      {{"--prefix", "nowhere"}, "--prefix"},
      {{"--score-targets", "nowhere"}, "--score-targets"},
      {{"--score-targets", "x", "--sample"}, "--score-targets searches for nothing"},
      {{"--alignment", "firm"}, "--alignment"},
      {{"--alignment-layer", "1"}, "add --alignment hard or soft"},
      {{"--alignment", "hard", "--alignment-layer", "9"},
       "--alignment-layer: 9 is given, the model has 1"},
      {{"--min-length", "9", "--max-length", "8"}, "--min-length: 9 is more than --max-length 8"},
      {{"--device", "gpu"}, "--device"},
      {{"--output", folder_ / "input"}, "/input is also read; name another file"},
      {{"--output", "/nowhere/at/all"}, "--output: /nowhere/at/all cannot be made"},
  };
  for (const auto& wrong : cases) {
    const ProgramResult result = translate(line(0), wrong.flags);
    EXPECT_NE(result.code, 0) << wrong.message;
    EXPECT_THAT(result.err, HasSubstr(wrong.message));
    EXPECT_THAT(lines_of(result.err), SizeIs(1)) << result.err;
  }
}

TEST_F(Translate, GivesTheSameByManyWorkersInTheSameOrder) {
  std::string input;
  for (std::size_t i = 0; i < 60; ++i) {
    input += i % 7 == 0 ? "\n" : line(i) + "\n";
  }
  for (const char* type : {"f32", "int8"}) {
    const std::vector<std::string> flags{"--batch-tokens", "100", "--compute-type", type, "--json"};
    std::vector<std::string> many = flags;
    many.insert(many.end(), {"--workers", "3", "--threads", "1"});
    const ProgramResult expected = translate(input, flags);
    const ProgramResult got = translate(input, many);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(got.out, expected.out);
    EXPECT_THAT(lines_of(got.out), SizeIs(60));
  }
  const ProgramResult on_gpu = translate("", {"--workers", "2", "--device", "cuda"});
  EXPECT_EQ(on_gpu.code, 2);
  EXPECT_THAT(on_gpu.err, HasSubstr("--workers: a GPU takes one; leave it out"));
}

TEST_F(Translate, HasHelpInTwoColumnsWhateverTheLetters) {
  const std::string help = run_yona({"translate", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("\n  -m,--model DIR…" + std::string(13, ' ') + "folder of a"));
  EXPECT_THAT(help, HasSubstr("\n  -i,--input FILE" + std::string(13, ' ') + "lines to"));
}

TEST_F(Translate, SaysWhatIsMissing) {
  ProgramResult result = run_yona({"translate"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--model is missing"));
  result = run_yona({"translate", "--model", "nowhere"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--model: nowhere: no such folder"));
  result = run_yona({"translate", "--model", model_->path(), "--input", "nowhere.en"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--input"));
}

TEST_F(Translate, SaysWhatAFolderLacksToBeAModel) {
  const TempDir empty;
  ProgramResult result = run_yona({"translate", "--model", empty.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("is no model folder: it has neither config.json nor"));
  std::filesystem::copy_file(model_->path() / "config.json", empty / "config.json");
  result = run_yona({"translate", "--model", empty.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no sub-words: vocab.json is missing"));
  for (const char* file : {"vocab.json", "source.spm", "target.spm"}) {
    std::filesystem::copy_file(model_->path() / file, empty / file);
  }
  result = run_yona({"translate", "--model", empty.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no weights: neither model.safetensors nor"));
}

TEST_F(Translate, RefusesTheVocabularyOfAnotherModelThatIsAsLarge) {
  const TempDir mixed;
  std::filesystem::copy(model_->path(), mixed.path());
  Json vocabulary = Json::parse(read_bytes(mixed / "vocab.json"));
  std::vector<std::string> pieces(vocabulary.size());
  for (const auto& [piece, id] : vocabulary.items()) {
    pieces[id.get<std::size_t>()] = piece;
  }
  std::swap(vocabulary[pieces[10]], vocabulary[pieces[11]]);
  write_bytes(mixed / "vocab.json", vocabulary.dump());
  std::filesystem::remove(mixed / "checksums.json");  // which would notice first
  const ProgramResult result = run_yona({"translate", "--model", mixed.path().string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("vocab.json is of another model than config.json"));
}

TEST_F(Translate, KeepsLinesOfWhiteSpaceBlank) {
  EXPECT_EQ(translate("\n \n\t\n\u3000\u00A0\n").out, "\n\n\n\n");
}

TEST_F(Translate, NamesTheSearchInVerboseOutput) {
  const auto said = [&](std::vector<std::string> flags) {
    flags.emplace_back("-v");
    return translate(line(0), flags).err;
  };
  EXPECT_THAT(said({}), HasSubstr("beam search as in mode paper: beam 4, length penalty 0.6"));
  EXPECT_THAT(said({"--beam-mode", "marian"}), HasSubstr("beam search as in mode marian: beam 12"));
  EXPECT_THAT(said({}), HasSubstr("computing in f32"));
  EXPECT_THAT(said({"--compute-type", "int8"}), HasSubstr("computing in int8"));
  EXPECT_THAT(said({"--beam", "1"}), HasSubstr("greedy search as in mode paper"));
  EXPECT_THAT(said({"--sample", "--top-k", "5"}),
              HasSubstr("sampling: temperature 1, top-k 5, top-p 1, seed 1"));
}

TEST_F(Translate, SaysThatAFullDiskIsFull) {
  const ProgramResult result = translate(line(0), {"--output", "/dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("/dev/full cannot be written: No space left on device"));
}

}  // namespace
}  // namespace yona::testing
