#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

Json info_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "info");
  arguments.emplace_back("--json");
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  return Json::parse(result.out);
}

std::int64_t parameters_of(const std::vector<std::string>& arguments) {
  return info_json(arguments).at("model").at("parameters").get<std::int64_t>();
}

TEST(Info, CountsThePapersModels) {
  EXPECT_EQ(parameters_of({"--preset", "base", "--vocab-size", "37000"}), 63082496);
  EXPECT_EQ(parameters_of({"--preset", "big", "--vocab-size", "37000"}), 214245376);
}

TEST(Info, PrintsTheTableAndWhatThePaperSays) {
  const ProgramResult base = run_yona({"info", "--preset", "base", "--vocab-size", "37000"});
  EXPECT_EQ(base.code, 0);
  EXPECT_THAT(base.out,
              HasSubstr("base: 6 + 6 layers, d_model 512, d_ff 2048, 8 heads of d_k 64 and "
                        "d_v 64, vocabulary 37,000\n"));
  EXPECT_THAT(base.out, HasSubstr("\nencoder.layers.*.feed_forward.inner.weight             2048 × "
                                  "512       6      6,291,456\n"));
  EXPECT_THAT(base.out, HasSubstr("\n63.1 M parameters, 252 MB in f32; the paper's Table 3 says 65 "
                                  "M\n"));
  const ProgramResult big = run_yona({"info", "--preset", "big"});
  EXPECT_THAT(big.out, HasSubstr("\n214 M parameters, 857 MB in f32; the paper's Table 3 says 213 "
                                 "M\n"));
}

TEST(Info, AddsUpToTheTotal) {
  const Json model = info_json({"--preset", "tiny", "--vocab-size", "8000"}).at("model");
  std::int64_t sum = 0;
  for (const Json& row : model.at("weights")) {
    sum += row.at("parameters").get<std::int64_t>();
  }
  EXPECT_EQ(sum, model.at("parameters").get<std::int64_t>());
  EXPECT_EQ(model.at("encoder_layers"), 4);
}

// Table 3 of the paper with a vocabulary of 37,000; it gives these in millions.
TEST(Info, FollowsTheVariantsOfTable3) {
  const auto with = [](std::vector<std::string> sets) {
    std::vector<std::string> arguments{"--preset", "base"};
    for (const std::string& set : sets) {
      arguments.insert(arguments.end(), {"--set", set});
    }
    return static_cast<double>(parameters_of(arguments)) / 1e6;
  };
  const double base = with({});
  EXPECT_DOUBLE_EQ(with({"model.heads=1"}), base);                   // A: 512 = 1 · 512
  EXPECT_DOUBLE_EQ(with({"model.heads=16", "model.d_k=32"}), base);  // A
  EXPECT_NEAR(base - with({"model.d_k=16"}), 65 - 58, 0.6);          // B
  EXPECT_NEAR(base - with({"model.d_k=32"}), 65 - 60, 0.6);          // B
  EXPECT_NEAR(base - with({"model.layers=2"}), 65 - 36, 0.9);        // C
  EXPECT_NEAR(base - with({"model.layers=4"}), 65 - 50, 0.9);        // C
  EXPECT_NEAR(with({"model.layers=8"}) - base, 80 - 65, 0.9);        // C
  EXPECT_NEAR(with({"model.d_ff=1024"}), base - 12.6, 0.1);          // C
  EXPECT_NEAR(with({"model.d_ff=4096"}), base + 25.2, 0.1);          // C: 90 in the paper
  EXPECT_GT(with({"model.positions=learned"}), base);                // E
}

TEST(Info, DescribesTheMachine) {
  const Json devices = info_json({"--devices"}).at("devices");
  EXPECT_GE(devices.at("cpu").at("usable_cpus").get<int>(), 1);
  EXPECT_GT(devices.at("cpu").at("memory_bytes").get<std::int64_t>(), 1 << 20);
  EXPECT_EQ(devices.at("cpu").at("instruction_sets").at(0), "baseline");
  EXPECT_TRUE(devices.at("cuda").at("usable").get<bool>() ||
              !devices.at("cuda").at("reason").get<std::string>().empty());
  const ProgramResult text = run_yona({"info", "--devices"});
  EXPECT_THAT(text.out, HasSubstr("cpu: "));
  EXPECT_THAT(text.out, HasSubstr("\ncuda: "));
}

TEST(Info, TellsWhichInstructionSetIsInUse) {
  const ProgramResult result = run_yona({"info", "--devices"}, {"YONA_CPU_ISA=baseline"});
  EXPECT_THAT(result.out, HasSubstr("in use: baseline"));
}

TEST(Info, ComplainsAboutWhatItIsAsked) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "info");
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({}), "yona: info: say about what: --model DIR, --preset base or --devices\n");
  EXPECT_EQ(complaint({"--preset", "bas"}),
            "yona: --preset: expected tiny, iwslt, base or big (did you mean base?), got 'bas'\n");
  EXPECT_EQ(complaint({"--preset", "base", "--vocab-size", "2"}),
            "yona: --vocab-size: expected a whole number from 3 to 16777216, got '2'\n");
  EXPECT_THAT(complaint({"--preset", "base", "--set", "model.heads=7"}),
              HasSubstr("model.heads: 7 heads do not divide model.d_model 512"));
  EXPECT_EQ(complaint({"--set", "model.heads"}),
            "yona: --set: expected key=value, such as train.updates=1000, got 'model.heads'\n");
}

}  // namespace
}  // namespace yona::testing
