#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/translation/config_keys.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Config, PrintsAFileThatItReads) {
  const TempDir folder;
  const ProgramResult first = run_yona({"config", "--preset", "tiny", "--set", "model.d_ff=64"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_THAT(first.out, HasSubstr("preset: tiny\n"));
  EXPECT_THAT(first.out, HasSubstr("\n  d_ff: 64\n"));
  EXPECT_THAT(first.out, HasSubstr("\n  # d_model: 128\n"));
  write_bytes(folder / "c.yaml", first.out);
  const ProgramResult second = run_yona({"config", "--config", folder / "c.yaml"});
  EXPECT_EQ(second.out, first.out);
}

TEST(Config, ListsEveryKeyAsTextAndAsJson) {
  const ProgramResult text = run_yona({"config", "--keys"});
  const Json json = Json::parse(run_yona({"config", "--json"}).out);
  EXPECT_EQ(json.size(),
            run_config_keys().size() + corpus_keys().size() + validation_set_keys().size());
  for (const Json& key : json) {
    EXPECT_THAT(text.out, HasSubstr(key.at("key").get<std::string>() + " "));
    EXPECT_FALSE(key.at("meaning").get<std::string>().empty());
  }
  EXPECT_THAT(run_yona({"config", "--task", "image-classification", "--keys"}).out,
              HasSubstr(" [accuracy] "));
}

TEST(Config, TakesFlagsOverSetOverTheFile) {
  const TempDir folder;
  write_bytes(folder / "c.yaml", "train:\n  updates: 1\n  seed: 1\n  warmup: 1\n");
  const ProgramResult result =
      run_yona({"config", "--config", folder / "c.yaml", "--set", "train.updates=2", "--set",
                "train.seed=2", "--updates", "3", "--batch-tokens", "auto"});
  EXPECT_THAT(result.out, HasSubstr("\n  updates: 3\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  seed: 2\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  warmup: 1\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  batch_tokens: auto\n"));
}

TEST(Config, PutsDataFlagsInTheirPlaces) {
  const TempDir folder;
  for (const char* name : {"a,b.en", "a=b.de"}) {
    write_bytes(folder / name, "x\n");
  }
  const std::string odd = folder / "a,b.en";
  const std::string equals = folder / "a=b.de";
  const ProgramResult result =
      run_yona({"config", "--train-src", odd, "x.en,y.en", "--train-tgt", "1,2,3", "--valid-src",
                "v.en", "--valid-tgt", equals, "--valid-src", "test=w.en", "--valid-tgt", "w.de",
                "--src-lang", "en"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("source: [\"" + odd + "\", x.en, y.en]\n"));
  EXPECT_THAT(result.out, HasSubstr("target: [1, 2, 3]\n"));
  EXPECT_THAT(result.out,
              HasSubstr("- name: valid\n      source: v.en\n      target: \"" + equals +
                        "\"\n    - name: test\n      source: w.en\n      target: w.de"));
  EXPECT_THAT(result.out, HasSubstr("\n  source_language: en\n"));
}

TEST(Config, ComplainsAboutFlagsThatDoNotGoTogether) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "config");
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({"--train-src", "a", "b", "--train-tgt", "c"}),
            "yona: --train-src names 2 files and --train-tgt 1; they are paired one to one\n");
  EXPECT_THAT(complaint({"--train-src", "a", "--train-tgt", "b", "--train-tsv", "c"}),
              HasSubstr("--train-tsv: is given together with --train-src"));
  EXPECT_EQ(complaint({"--valid-src", "a"}),
            "yona: --valid-src is given 1 times and --valid-tgt 0 times; they go in pairs\n");
  EXPECT_EQ(complaint({"--valid-src", "x=a", "--valid-tgt", "y=b"}),
            "yona: --valid-src is called 'x' and --valid-tgt 'y'; pairs are given in the same "
            "order\n");
  EXPECT_EQ(complaint({"--set", "=5"}),
            "yona: --set: expected key=value, such as train.updates=1000, got '=5'\n");
  EXPECT_EQ(complaint({"--set", "train.udpates=5"}),
            "yona: --set: unknown key 'train.udpates'; did you mean train.updates?\n");
  EXPECT_EQ(complaint({"--updates", "many"}),
            "yona: --updates: expected a whole number of at least 1, got 'many'\n");
  EXPECT_THAT(complaint({"--config", "none.yaml"}), HasSubstr("none.yaml: no such file"));
}

TEST(Config, GivesFileAndLineOfAMistypedKey) {
  const TempDir folder;
  write_bytes(folder / "c.yaml", "preset: tiny\nmodel:\n  dmodel: 5\n");
  const ProgramResult result = run_yona({"config", "--config", folder / "c.yaml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("c.yaml:3: unknown key 'model.dmodel'; did you mean "
                                    "model.d_model?\n"));
}

}  // namespace
}  // namespace yona::testing
