// An empty value of any flag of any command is refused by one rule.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/every_command.h"

namespace yona::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(EmptyValues, AreRefusedByEveryFlagOfEveryCommand) {
  const std::vector<Words> commands = every_command();
  EXPECT_GE(commands.size(), 18U);
  std::size_t flags = 0;
  for (const Words& command : commands) {
    const std::string help = run_yona(with(command, {"--help"})).out;
    for (const std::string& names : flags_of(help)) {
      const std::string flag = names.substr(names.find("--"));
      if (command.back() == "embed" && flag == "--prompt") {
        continue;  // no prompt, also where the folder has one by default
      }
      const Words words = flags++ % 2 == 0 ? Words{flag, ""} : Words{flag + "="};
      const ProgramResult result = run_yona(with(command, words));
      EXPECT_EQ(result.code, 2) << command.back() << " " << words[0] << ": " << result.err;
      EXPECT_EQ(result.err, "yona: " + flag + ": the value is empty (is a variable unset?)\n")
          << command.back();
    }
  }
  EXPECT_GE(flags, 200U);  // did the help parse?
}

TEST(EmptyValues, AreRefusedBehindAShortNameToo) {
  for (const Words& words :
       {Words{"translate", "-m", ""}, Words{"serve", "-m", ""}, Words{"score", "-m", ""}}) {
    const ProgramResult result = run_yona(words);
    EXPECT_EQ(result.code, 2) << words[0];
    EXPECT_THAT(result.err, EndsWith("the value is empty (is a variable unset?)\n"));
  }
}

TEST(EmptyValues, AreRefusedAmongOthers) {
  EXPECT_THAT(run_yona({"translate", "-m", "a", "", "b"}).err,
              StartsWith("yona: --model: the value is empty"));
  EXPECT_THAT(run_yona({"config", "--set", "train.seed=1", "--set", ""}).err,
              StartsWith("yona: --set: the value is empty"));
}

TEST(EmptyValues, AreRefusedAsElementsOfLists) {
  for (const std::string list : {"a,,b", ",a", "a,", ","}) {
    const ProgramResult result = run_yona({"score", "--ref", list});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "yona: --ref: an element of '" + list + "' is empty\n");
  }
}

TEST(EmptyValues, AreNoConcernOfAFileWithCommasInItsName) {
  const TempDir folder;
  write_bytes(folder / "a,,b", "one\n");
  EXPECT_EQ(run_yona({"score", "--ref", folder / "a,,b", "--hyp", folder / "a,,b"}).code, 0);
}

TEST(EmptyValues, DoNotHideAnUnknownFlag) {
  EXPECT_THAT(run_yona({"info", "--prest="}).err, HasSubstr("unknown flag '--prest'"));
}

TEST(EmptyValues, MeanNoPromptToEmbed) {
  const std::string model = YONA_FIXTURES "/encoders/bert-classes";
  const TempDir folder;
  write_bytes(folder / "text", "a text\n");
  const Words words{"embed", "--model", model, "--input", folder / "text"};
  const ProgramResult result = run_yona(with(words, {"--prompt", ""}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, run_yona(words).out);
}

}  // namespace
}  // namespace yona::testing
