#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

TEST(BenchTrain, PrintsOneJsonLineWithThePeersFields) {
  const ProgramResult result = run_yona({"bench", "train", "--preset", "tiny", "--vocab-size", "50",
                                         "--src-len", "5", "--tgt-len", "4", "--tokens", "40",
                                         "--steps", "1", "--warmup", "0", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  const Json json = Json::parse(result.out);
  for (const char* field : {"ms", "tgt_tok_s", "tflops", "mem_gb"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_GT(json.at("tgt_tok_s").get<double>(), 0.0);
}

TEST(BenchTrain, ScalingExpectsTheEfficiencyOfManyGpus) {
  const ProgramResult result = run_yona({"bench", "scaling", "--preset", "tiny", "--vocab-size",
                                         "50", "--src-len", "5", "--tgt-len", "4", "--tokens", "40",
                                         "--steps", "1", "--warmup", "0", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_FALSE(json.contains("exchange_ms"));  // of one process
  ASSERT_EQ(json.at("expected").size(), 6U);
  for (const Json& expected : json.at("expected")) {
    EXPECT_GT(expected.at("efficiency").get<double>(), 0.0);
    EXPECT_LT(expected.at("efficiency").get<double>(), 1.0);
  }
}

TEST(BenchTrain, TimesALanguageModel) {
  const ProgramResult result = run_yona(
      {"bench", "train", "--task", "language-model", "--preset", "char-small", "--vocab-size", "50",
       "--len", "8", "--batch", "2", "--steps", "1", "--warmup", "0", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("len"), 8);
  EXPECT_GT(json.at("tok_s").get<double>(), 0.0);
}

TEST(BenchTrain, TimesAMaskedLanguageModel) {
  const ProgramResult result =
      run_yona({"bench", "train", "--task", "masked-lm", "--preset", "bert-tiny", "--vocab-size",
                "50", "--len", "16", "--batch", "3", "--ragged", "--steps", "1", "--warmup", "0",
                "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("batch"), 3);
  EXPECT_EQ(json.at("ragged"), true);
  EXPECT_GT(json.at("tok_s").get<double>(), 0.0);
}

TEST(BenchTrain, TimesPictures) {
  const ProgramResult result =
      run_yona({"bench", "train", "--task", "image-classification", "--preset", "vit-tiny",
                "--batch", "1", "--steps", "1", "--warmup", "0", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("len"), 56 * 56 + 1);
  EXPECT_GT(json.at("img_s").get<double>(), 0.0);
}

TEST(BenchTrain, ComplainsAboutValues) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"bench", "train"});
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({"--steps", "0"}),
            "yona: --steps: expected a whole number of at least 1, got '0'\n");
  EXPECT_EQ(complaint({"--precision", "bf61"}),
            "yona: --precision: expected f32 or bf16, got 'bf61'\n");
  EXPECT_EQ(complaint({"--device", "gpu"}), "yona: --device: expected cpu or cuda, got 'gpu'\n");
  EXPECT_EQ(complaint({"--preset", "huge"}),
            "yona: --preset: expected tiny, iwslt, base or big, got 'huge'\n");
}

}  // namespace
}  // namespace yona::testing
