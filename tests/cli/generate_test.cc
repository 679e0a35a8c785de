// `yona generate` as a user sees it: texts, JSON lines, standard input, and what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"
#include "tests/harness/lm_folder.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class GenerateCommand : public ::testing::Test {
 protected:
  ProgramResult generate(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"generate", "--model", lm_.path()};
    words.insert(words.end(), more.begin(), more.end());
    return run_yona(words);
  }
  std::string file(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }
  // The one line on standard error of wrong use.
  std::string refused(const std::vector<std::string>& more) const {
    const ProgramResult result = generate(more);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  LmFolder lm_;
  TempDir folder_;
};

// What transformers 5.23.0 generates with do_sample=False: 'fttttf' and then <|endoftext|>.
TEST_F(GenerateCommand, ContinuesAPromptAsTransformersDoes) {
  const ProgramResult result = generate({"--prompt", "the "});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "fttttf\n");
  EXPECT_EQ(generate({"--prompt", "the ", "--max-new", "3"}).out, "ftt\n");
  EXPECT_EQ(generate({"--prompt", "a"}).out, "444\n");
  EXPECT_EQ(generate({"--prompt", "12"}).out, "\n");
  EXPECT_EQ(generate({"--prompt", "the ", "--stop", "tf"}).out, "fttt\n");
}

TEST_F(GenerateCommand, AnswersALineWithALineFromAFileAndFromStandardInput) {
  const std::string prompts = file("prompts.txt", "the \na\n\n12\n");
  const ProgramResult from_file = generate({"--input", prompts, "--max-new", "3"});
  EXPECT_EQ(from_file.code, 0) << from_file.err;
  EXPECT_EQ(from_file.out, "ftt\n444\n444\n\n");
  const std::string out = folder_ / "out.txt";
  const int status = std::system(fmt::format("'{}' generate --model '{}' --input - --max-new 3 "
                                             "--threads 1 < '{}' > '{}'",
                                             YONA_PROGRAM, lm_.path().string(), prompts, out)
                                     .c_str());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_bytes(out), from_file.out);
  EXPECT_EQ(generate({"--input", file("empty.txt", "")}).out, "");
}

TEST_F(GenerateCommand, WritesAJsonObjectForEachAnswer) {
  const ProgramResult result = generate(
      {"--prompt", "the ", "--max-new", "2", "--json", "--logprobs", "--top-logprobs", "2"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("text"), "ft");
  EXPECT_EQ(json.at("tokens"), Json::array({9, 23}));
  EXPECT_EQ(json.at("prompt_tokens"), 4);
  EXPECT_EQ(json.at("finish"), "length");
  EXPECT_EQ(json.at("logprobs").size(), 2U);
  EXPECT_EQ(json.at("top_logprobs")[0][0].at("token"), 9);
  EXPECT_EQ(json.at("top_logprobs")[0][0].at("logprob"), json.at("logprobs")[0]);
  EXPECT_EQ(Json::parse(generate({"--prompt", "12", "--json"}).out).at("finish"), "stop");
}

TEST_F(GenerateCommand, DrawsDependOnTheSeedAlone) {
  const std::vector<std::string> drawn{"--prompt", "the ",   "--n", "3",         "--temperature",
                                       "1",        "--seed", "3",   "--max-new", "8"};
  const std::string first = generate(drawn).out;
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3);
  std::vector<std::string> again = drawn;
  again.insert(again.end(), {"--threads", "2"});
  EXPECT_EQ(generate(again).out, first);
  again[7] = "4";
  EXPECT_NE(generate(again).out, first);
}

TEST_F(GenerateCommand, AnswersMatchARegularExpressionOrASchema) {
  EXPECT_THAT(generate({"--prompt", "the ", "--regex", "[0-9]{3} [xyz]+", "--max-new", "12"}).out,
              MatchesRegex("[0-9]{3} [xyz]+\n"));
  const std::string schema = file("schema.json", R"({"type": "integer", "minimum": 10})");
  const ProgramResult result =
      generate({"--prompt", "the ", "--json-schema", schema, "--max-new", "12"});
  EXPECT_THAT(result.out, MatchesRegex("[1-9][0-9]+\n")) << result.err;
}

TEST_F(GenerateCommand, RefusesPromptsAndLengthsThatDoNotFit) {
  EXPECT_THAT(refused({"--prompt", "the quick brown fox jumps over"}),
              HasSubstr("the prompt has 30 tokens; the model's context is 24"));
  EXPECT_THAT(refused({"--prompt", "the ", "--max-new", "0"}),
              HasSubstr("--max-new: expected a whole number from 1"));
  EXPECT_THAT(refused({"--prompt", "the ", "--max-new", "1000000"}),
              HasSubstr("1000000 new tokens after a prompt of 4 do not fit"));
  EXPECT_THAT(refused({"--input", file("long.txt", "a\nthe quick brown fox jumps over\n")}),
              HasSubstr("prompt 2: "));
  EXPECT_THAT(refused({"--prompt", "a\xFF"}), HasSubstr("--prompt: is not UTF-8"));
}

TEST_F(GenerateCommand, RefusesConstraintsThatCannotBeMet) {
  EXPECT_THAT(refused({"--prompt", "a", "--regex", "[0-9"}), HasSubstr("regular expression: "));
  EXPECT_THAT(refused({"--prompt", "a", "--regex", "[A-Z]+"}),
              HasSubstr("no token of the vocabulary continues it"));
  const auto schema = [&](const std::string& text) {
    return refused({"--prompt", "a", "--json-schema", file("s.json", text)});
  };
  EXPECT_THAT(schema(R"({"type": "object"})"), HasSubstr("no token of the vocabulary"));
  EXPECT_THAT(schema(R"({"type": "integer", "minimum": 5, "maximum": 3})"),
              HasSubstr("cannot be met"));
  EXPECT_THAT(schema(R"({"type": "strange"})"), HasSubstr("\"strange\" is not one of"));
  EXPECT_THAT(schema(R"({"type":)"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refused({"--prompt", "a", "--json-schema", "/nowhere"}), HasSubstr("no such file"));
  EXPECT_THAT(refused({"--prompt", "a", "--json-schema", "/nowhere", "--regex", "a"}),
              HasSubstr("give --json-schema or --regex, not both"));
}

TEST_F(GenerateCommand, RefusesWrongFlagsAndOtherModels) {
  EXPECT_THAT(refused({}), HasSubstr("generate: --prompt is missing"));
  EXPECT_THAT(refused({"--prompt", "a", "--input", "b"}),
              HasSubstr("give --prompt or --input, not both"));
  EXPECT_THAT(refused({"--input", "/nowhere"}), HasSubstr("--input: /nowhere: no such file"));
  EXPECT_THAT(refused({"--prompt", "a", "--temperature", "-1"}), HasSubstr("--temperature: "));
  EXPECT_THAT(refused({"--prompt", "a", "--top-p", "0"}), HasSubstr("--top-p: "));
  EXPECT_THAT(refused({"--prompt", "a", "--n", "0"}), HasSubstr("--n: "));
  EXPECT_THAT(refused({"--prompt", "a", "--device", "tpu"}), HasSubstr("--device: "));
  const auto of = [](const std::string& model) {
    const ProgramResult result = run_yona({"generate", "--model", model, "--prompt", "a"});
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  const std::string fixtures = YONA_FIXTURES;
  EXPECT_THAT(of("/nowhere"), HasSubstr("--model: /nowhere: no such folder"));
  EXPECT_THAT(of(fixtures + "/encoders/bert-classes"),
              HasSubstr("is an encoder; yona generate takes a language model"));
  EXPECT_THAT(of(fixtures + "/families/marian"),
              HasSubstr("is a translation model; yona generate takes a language model"));
}

}  // namespace
}  // namespace yona::testing
