// What `yona translate` makes of its input: odd lines, and files beside it.

#include <gmock/gmock.h>

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

using TranslationInput = Translate;

TEST_F(TranslationInput, ReadsMarksAndCarriageReturnsAsText) {
  EXPECT_EQ(translate("\xEF\xBB\xBF" + line(0) + "\r\n").out, translate(line(0)).out);
}

TEST_F(TranslationInput, RepairsBadEncodingAndNamesTheLine) {
  const ProgramResult result = translate(line(0) + "\ncaf\xE9\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(lines_of(result.out), SizeIs(2));
  EXPECT_THAT(result.err, HasSubstr("input:2: is not UTF-8"));
}

TEST_F(TranslationInput, IsNotEmptiedByItsOwnOutput) {
  const std::string file = folder_ / "input";
  write_bytes(file, line(0) + "\n");
  const std::string command = "\"" YONA_PROGRAM "\" translate --model '" + model_->path().string() +
                              "' --output '" + file + "' < '" + file + "' 2> '" +
                              (folder_ / "err").string() + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_THAT(read_bytes(folder_ / "err"), HasSubstr("/input is also read; name another file"));
  EXPECT_EQ(read_bytes(file), line(0) + "\n");
}

TEST_F(TranslationInput, RefusesBadEncodingWhenAsked) {
  const ProgramResult result = translate("caf\xE9\n", {"--encoding", "refuse"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("input:1: is not UTF-8; convert the input"));
}

TEST_F(TranslationInput, TranslatesALongLineInPartsAndSaysSo) {
  std::string paragraph;
  for (std::size_t i = 0; i < 12; ++i) {
    paragraph += "It is " + line(i) + ". ";
  }
  const ProgramResult result = translate(paragraph + "\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(1));
  EXPECT_THAT(result.err, HasSubstr("1 line longer than the model takes, translated in parts"));
  const ProgramResult refused = translate(paragraph + "\n", {"--long", "refuse"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("line 1 has "));
}

TEST_F(TranslationInput, RefusesALineOfMoreThanAMegabyte) {
  const ProgramResult result = translate(std::string((1 << 20) + 1, 'x') + "\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("input:1: is longer than"));
}

TEST_F(TranslationInput, TakesNulBytesAsCharacters) {
  const ProgramResult result = translate(std::string("a\0b\n", 4));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(1));
}

TEST_F(TranslationInput, BeginsWithPrefixesLineByLine) {
  write_bytes(folder_ / "prefixes", "zwei\n\n");
  const ProgramResult result =
      translate(line(0) + "\n" + line(1) + "\n", {"--prefix", folder_ / "prefixes"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out)[0], StartsWith("zwei"));
  EXPECT_EQ(lines_of(result.out)[1] + "\n", translate(line(1)).out);
}

TEST_F(TranslationInput, RefusesPrefixesOfAnotherLength) {
  write_bytes(folder_ / "prefixes", "zwei\n");
  ProgramResult result =
      translate(line(0) + "\n" + line(1) + "\n", {"--prefix", folder_ / "prefixes"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("has 1 line, the input has more"));
  write_bytes(folder_ / "prefixes", "zwei\na\nb\n");
  result = translate(line(0) + "\n", {"--prefix", folder_ / "prefixes"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("has more lines than the input's 1"));
}

TEST_F(TranslationInput, RefusesTargetsThatDoNotFit) {
  write_bytes(folder_ / "targets", "eins\n");
  ProgramResult result =
      translate(line(0) + "\n" + line(1) + "\n", {"--score-targets", folder_ / "targets"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("has 1 line, the input has more"));
  write_bytes(folder_ / "targets", "caf\xE9\n");
  result = translate(line(0) + "\n", {"--score-targets", folder_ / "targets"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("targets:1: is not UTF-8"));
  write_bytes(folder_ / "targets", std::string((1 << 20) + 1, 'x'));
  result = translate(line(0) + "\n", {"--score-targets", folder_ / "targets"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("targets:1: is longer than"));
}

}  // namespace
}  // namespace yona::testing
