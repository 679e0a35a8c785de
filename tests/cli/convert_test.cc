#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class Convert : public Translate {
 protected:
  ProgramResult convert(std::vector<std::string> more) const {
    more.insert(more.begin(), {"convert", "--model", model_->path()});
    return run_yona(more);
  }
  std::string made() const { return folder_ / "int8"; }
};

TEST_F(Convert, MakesAFolderThatTranslatesAsItIs) {
  const ProgramResult result = convert({"--quantize", "int8", "--output", made()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(made() + ": int8 weights, "));
  write_bytes(folder_ / "lines", line(0) + "\n" + line(1) + "\n\n" + line(2) + "\n");
  const auto outputs = [&](const std::string& folder, std::vector<std::string> more) {
    more.insert(more.begin(), {"translate", "--model", folder, "--input", folder_ / "lines"});
    const ProgramResult run = run_yona(more);
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  };
  const std::string expected = outputs(model_->path(), {"--compute-type", "int8"});
  EXPECT_EQ(lines_of(expected).size(), 4U);
  EXPECT_EQ(outputs(made(), {}), expected);
  EXPECT_EQ(outputs(made(), {"--compute-type", "auto"}), expected);
  EXPECT_EQ(outputs(made(), {"--beam", "1"}),
            outputs(model_->path(), {"--compute-type", "int8", "--beam", "1"}));
}

TEST_F(Convert, MakesAFolderThatInfoExplainsAndOthersRefuse) {
  ASSERT_EQ(convert({"--quantize", "int8", "--output", made()}).code, 0);
  const ProgramResult info = run_yona({"info", "--model", made()});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("the folder has them in int8"));
  const ProgramResult f32 =
      run_yona({"translate", "--model", made(), "--compute-type", "f32", "--input", "/dev/null"});
  EXPECT_NE(f32.code, 0);
  EXPECT_THAT(f32.err, HasSubstr("its weights are int8 alone"));
}

TEST_F(Convert, SaysWhatIsMissing) {
  EXPECT_THAT(convert({}).err, HasSubstr("--output"));
  EXPECT_THAT(convert({"--output", made()}).err, HasSubstr("--quantize"));
  const ProgramResult unknown = convert({"--output", made(), "--quantize", "int4"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "yona: --quantize: expected int8, got 'int4'\n");
  const ProgramResult there = convert({"--output", folder_.path(), "--quantize", "int8"});
  EXPECT_EQ(there.code, 2);
  EXPECT_THAT(there.err, HasSubstr("already exists; name a new folder"));
}

}  // namespace
}  // namespace yona::testing
