#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/json_file.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

TEST(StudyCommand, WritesAPageAndItsFigures) {
  const TempDir folder;
  const std::string output = (folder.path() / "table1").string();
  const ProgramResult result =
      run_yona({"study", "table1", "--output", output, "--quick", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, output + "/page.html\n");
  EXPECT_THAT(result.err, HasSubstr("35/35 dilated convolution n=256 d=64"));
  EXPECT_THAT(read_bytes(output + "/page.html"), HasSubstr("<svg"));
  EXPECT_EQ(read_json(output + "/study.json")["points"].size(), 35U);
  const ProgramResult again = run_yona({"study", "table1", "--output", output, "--quick"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "") << "nothing is measured again";
}

TEST(StudyCommand, SaysWhatIsWrong) {
  const ProgramResult unknown = run_yona({"study", "table9", "--output", "x"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "yona: study: 'table9' is not a study; use table1, table2, long-range, positions, "
            "parts, heads, data-size or forgetting\n");
  const ProgramResult text = run_yona({"study", "heads", "--output", "x", "--text", "train.tsv"});
  EXPECT_EQ(text.code, 2);
  EXPECT_EQ(text.err, "yona: study: heads does not read --text\n");
  const ProgramResult nowhere = run_yona({"study", "heads"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--output is missing"));
}

}  // namespace
}  // namespace yona::testing
