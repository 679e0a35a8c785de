// Language models and encoders through info, average and convert; translation is in info_test.cc,
// average_test.cc and convert_test.cc.
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kEncoders = std::filesystem::path(YONA_FIXTURES) / "encoders";

std::string output_of(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

Json model_of(const std::string& folder) {
  return Json::parse(output_of({"info", "--model", folder, "--verify", "--json"})).at("model");
}

TEST(ModelSummary, DescribesAnEncoder) {
  const std::string folder = kEncoders / "bert-classes";
  EXPECT_THAT(output_of({"info", "--model", folder}),
              HasSubstr(": encoder (bert), 2 layers, d_model 16, d_ff 24, 2 heads, vocabulary 144, "
                        "up to 48 tokens, tells 3 labels apart\n"));
  const Json model = model_of(folder);
  EXPECT_EQ(model["family"], "bert");
  EXPECT_EQ(model["labels"].size(), 3U);
  EXPECT_THAT(model["verified"].get<std::string>(), HasSubstr("there is no checksums.json"));
}

TEST(ModelSummary, RecordsAndVerifiesTheChecksumsOfAnEncoder) {
  const TempDir dir;
  std::filesystem::copy(kEncoders / "bert-classes", dir / "model",
                        std::filesystem::copy_options::recursive);
  const std::string folder = dir / "model";
  EXPECT_THAT(output_of({"info", "--model", folder, "--record-checksums"}),
              HasSubstr("recorded: the checksums of"));
  EXPECT_THAT(model_of(folder)["verified"].get<std::string>(), HasSubstr("as checksums.json says"));
  write_bytes(dir / "model" / "tokenizer.json", read_bytes(dir / "model" / "tokenizer.json") + " ");
  const ProgramResult result = run_yona({"info", "--model", folder, "--verify"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("tokenizer.json is damaged"));
}

TEST(ModelSummary, RunsOfLanguageModelsAreDescribedAveragedAndConverted) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += fmt::format("the cat number {} sat on the mat\n", i);
  }
  write_bytes(dir / "text", text);
  const std::string run = dir / "run";
  output_of({"train",
             "--task",
             "language-model",
             "--preset",
             "char-small",
             "--train",
             dir / "text",
             "--output",
             run,
             "--updates",
             "4",
             "--set",
             "train.warmup=1",
             "--set",
             "train.save_every=2",
             "--set",
             "model.layers=1",
             "--set",
             "model.d_model=32",
             "--set",
             "model.heads=2",
             "--set",
             "model.d_ff=64",
             "--set",
             "model.max_positions=32",
             "-q"});
  const std::string averaged = dir / "averaged";
  EXPECT_THAT(output_of({"average", "--run", run, "--last", "2", "--output", averaged}),
              HasSubstr("the mean of step-2, step-4 is in"));
  const Json model = model_of(averaged);
  EXPECT_EQ(model["task"], "language-model");
  EXPECT_EQ(model["layers"], 1);
  EXPECT_THAT(model["verified"].get<std::string>(), HasSubstr("as checksums.json says"));
  EXPECT_NE(read_bytes(dir / "averaged" / "model.safetensors"),
            read_bytes(dir / "run" / "model.safetensors"));
  const std::string int8 = dir / "int8";
  output_of({"convert", "--quantize", "int8", "--model", averaged, "--output", int8});
  EXPECT_EQ(model_of(int8)["weight_type"], "int8");
  const std::vector<std::string> prompt{"--prompt", "the cat", "--max-new", "8"};
  const auto generated = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), prompt.begin(), prompt.end());
    return output_of(arguments);
  };
  EXPECT_EQ(generated({"generate", "--model", int8}),
            generated({"generate", "--model", averaged, "--compute-type", "int8"}));
}

TEST(ModelSummary, RunsOfClassifiersAreAveraged) {
  const TempDir dir;
  std::string text = "label\tsentence\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{}\tthe cat {}\n", i % 2, i % 2 == 0 ? "sleeps" : "runs");
  }
  write_bytes(dir / "text.tsv", text);
  output_of({"train",
             "--task",
             "classification",
             "--preset",
             "bert-tiny",
             "--train",
             dir / "text.tsv",
             "--output",
             dir / "run",
             "--updates",
             "4",
             "--set",
             "train.warmup=1",
             "--set",
             "train.save_every=2",
             "--set",
             "model.layers=1",
             "--set",
             "model.d_model=16",
             "--set",
             "model.d_ff=16",
             "-q"});
  output_of({"average", "--run", dir / "run", "--last", "2", "--output", dir / "averaged"});
  const Json model = model_of(dir / "averaged");
  EXPECT_EQ(model["task"], "classification");
  EXPECT_EQ(model["labels"].size(), 2U);
}

}  // namespace
}  // namespace yona::testing
