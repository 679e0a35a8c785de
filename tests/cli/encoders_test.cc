// `yona classify`, `yona embed` and `yona fill` as a user sees them. Labels, vectors and candidates
// are compared with transformers' in tests/io and tests/encode.

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/encode/encoder_model.h"

#include "tests/cli/program.h"
#include "tests/harness/lm_folder.h"
#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class EncoderCommands : public ::testing::Test {
 protected:
  static std::string fixture(const std::string& name) {
    return std::string(YONA_FIXTURES) + "/encoders/" + name;
  }
  std::string file(const std::string& text) const {
    write_bytes(folder_ / "in.txt", text);
    return folder_ / "in.txt";
  }
  // One line of wrong use.
  static std::string refused(const std::vector<std::string>& words) {
    const ProgramResult result = run_yona(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    return lines;
  }
  // What a command writes for standard input.
  std::string piped(const std::string& arguments, const std::string& text) const {
    const std::string out = folder_ / "out.txt";
    const std::string command =
        fmt::format("'{}' {} --threads 1 < '{}' > '{}'", YONA_PROGRAM, arguments, file(text), out);
    EXPECT_EQ(std::system(command.c_str()), 0);
    return read_bytes(out);
  }
  static std::string many_words() {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += "a ";
    }
    return text;
  }

  TempDir folder_;
  LmFolder lm_;
};

TEST_F(EncoderCommands, ClassifyAnswersEveryLineInOrder) {
  const std::string text = "Hello world!\na b c\tthe second text, here\n\n";
  const ProgramResult plain = run_yona(
      {"classify", "--model", fixture("bert-classes"), "--input", file(text), "--threads", "1"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const auto model = EncoderModel::load(fixture("bert-classes"), shared_backend("cpu"));
  const auto expected =
      model->classify({{"Hello world!"}, {"a b c", "the second text, here"}, {""}});
  const std::vector<std::string> printed = lines(plain.out);
  ASSERT_EQ(printed.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(printed[i],
              fmt::format("{}\t{:.6f}", expected[i].labels[0].label, expected[i].labels[0].score));
  }
  EXPECT_EQ(piped("classify --model " + fixture("bert-classes"), text), plain.out);
  EXPECT_EQ(piped("classify --input - --model " + fixture("bert-classes"), text), plain.out);
  EXPECT_EQ(piped("classify --model " + fixture("bert-classes"), ""), "");
}

TEST_F(EncoderCommands, ClassifyWritesJsonWithAllLabels) {
  const ProgramResult result = run_yona({"classify", "--model", fixture("roberta-classes"),
                                         "--input", file("Hello\n"), "--json", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("labels").size(), 3U);
  EXPECT_EQ(json.at("labels").at(json.at("label").get<std::string>()), json.at("score"));
  double sum = 0;
  for (const auto& [label, score] : json.at("labels").items()) {
    sum += score.get<double>();
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
  EXPECT_FALSE(json.contains("cut"));
}

TEST_F(EncoderCommands, TextsBeyondThePositionsAreCutAndSaidSo) {
  for (const char* command : {"classify", "embed"}) {
    const ProgramResult result = run_yona({command, "--model", fixture("bert-classes"), "--input",
                                           file(many_words()), "--json", "--threads", "1"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(Json::parse(result.out).at("tokens"), 48);
    EXPECT_THAT(result.err, HasSubstr("warning: 1 text longer than"));
  }
}

TEST_F(EncoderCommands, EmbedWritesAVectorALine) {
  const std::string text = "Hello world!\n\na longer line of text\n";
  const ProgramResult plain = run_yona(
      {"embed", "--model", fixture("bert-classes"), "--input", file(text), "--threads", "1"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const std::vector<std::string> printed = lines(plain.out);
  ASSERT_EQ(printed.size(), 3U);
  for (const std::string& line : printed) {
    std::istringstream in(line);
    double squares = 0;
    int count = 0;
    for (double x = 0; in >> x; ++count) {
      squares += x * x;
    }
    EXPECT_EQ(count, 16);
    EXPECT_NEAR(squares, 1.0, 1e-5);
  }
  EXPECT_EQ(piped("embed --model " + fixture("bert-classes"), text), plain.out);
  const ProgramResult json =
      run_yona({"embed", "--model", fixture("bert-classes"), "--input", file("Hello world!\n"),
                "--json", "--pooling", "cls", "--no-normalize", "--threads", "1"});
  EXPECT_EQ(Json::parse(json.out).at("embedding").size(), 16U);
  EXPECT_EQ(Json::parse(json.out).at("tokens"), 9);
}

TEST_F(EncoderCommands, FillWritesTheMostProbableWords) {
  const ProgramResult plain = run_yona({"fill", "--model", fixture("bert-masked-lm"), "--text",
                                        "hello [MASK]", "--top", "2", "--threads", "1"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const auto model = EncoderModel::load(fixture("bert-masked-lm"), shared_backend("cpu"));
  const auto expected = model->fill("hello [MASK]", 2)[0].candidates;
  ASSERT_EQ(lines(plain.out).size(), 2U);
  EXPECT_EQ(lines(plain.out)[0], fmt::format("{:.6f}\t{}\t{}", expected[0].probability,
                                             expected[0].token, expected[0].text));
  EXPECT_EQ(piped("fill --top 2 --model " + fixture("bert-masked-lm"), "hello [MASK]\n"),
            plain.out);
  const ProgramResult json =
      run_yona({"fill", "--model", fixture("roberta-masked-lm"), "--text", "a <mask> and <mask>",
                "--top", "3", "--json", "--threads", "1"});
  ASSERT_EQ(json.code, 0) << json.err;
  const Json masks = Json::parse(json.out).at("masks");
  ASSERT_EQ(masks.size(), 2U);
  EXPECT_EQ(masks[1].at("candidates").size(), 3U);
  EXPECT_FALSE(masks[1].at("candidates")[0].contains("text"));  // two masks have no one text
}

TEST_F(EncoderCommands, AnyNumberOfThreadsGivesTheSameAnswers) {
  const std::string text = file("Hello world!\nthe cat\n" + many_words() + "\n");
  for (const char* command : {"classify", "embed"}) {
    const auto with = [&](const char* threads) {
      return run_yona({command, "--model", fixture("bert-classes"), "--input", text, "--json",
                       "--threads", threads})
          .out;
    };
    EXPECT_EQ(with("1"), with("2"));
    EXPECT_EQ(with("1"), with("3"));
  }
}

TEST_F(EncoderCommands, WhatAModelCannotDoIsSaidInOneLine) {
  const std::string text = file("hello\n");
  EXPECT_THAT(refused({"classify", "--model", fixture("bert-masked-lm"), "--input", text}),
              HasSubstr("the model has no classification head"));
  EXPECT_THAT(refused({"fill", "--model", fixture("bert-classes"), "--text", "a [MASK]"}),
              HasSubstr("the model has no head for masked words"));
  EXPECT_THAT(refused({"fill", "--model", fixture("bert-masked-lm"), "--text", "hello"}),
              HasSubstr("the text has no [MASK]; write it where words are to be filled in"));
  EXPECT_THAT(refused({"fill", "--model", fixture("roberta-masked-lm"), "--text", "a [MASK]"}),
              HasSubstr("the text has no <mask>"));
  EXPECT_THAT(
      refused({"fill", "--model", fixture("bert-masked-lm"), "--text", "[MASK] " + many_words()}),
      HasSubstr("the text is longer than the model's 48 positions"));
  EXPECT_THAT(
      refused({"fill", "--model", fixture("bert-masked-lm"), "--input", file("a [MASK]\nnone\n")}),
      HasSubstr("line 2: the text has no [MASK]"));
  EXPECT_THAT(
      refused({"embed", "--model", fixture("bert-classes"), "--input", text, "--prompt", "query"}),
      HasSubstr("the model has no prompt 'query'"));
}

TEST_F(EncoderCommands, WrongFlagsFilesAndModelsAreRefused) {
  const std::string text = file("hello\n");
  for (const std::string command : {"classify", "embed", "fill"}) {
    EXPECT_THAT(refused({command, "--input", text}), HasSubstr(command + ": --model is missing"));
    EXPECT_THAT(refused({command, "--model", "/nowhere", "--input", text}),
                HasSubstr("--model: /nowhere: no such folder"));
    EXPECT_THAT(refused({command, "--model", lm_.path(), "--input", text}),
                HasSubstr("is a language model; yona " + command + " takes an encoder"));
    EXPECT_THAT(refused({command, "--model", std::string(YONA_FIXTURES) + "/families/marian",
                         "--input", text}),
                HasSubstr("is a translation model; yona " + command + " takes an encoder"));
    EXPECT_THAT(refused({command, "--model", fixture("bert-masked-lm"), "--input", "/nowhere"}),
                HasSubstr("--input: /nowhere: no such file"));
    EXPECT_THAT(refused({command, "--model", fixture("bert-masked-lm"), "--input", text,
                         "--compute-type", "int4"}),
                HasSubstr("--compute-type: expected"));
  }
  EXPECT_THAT(
      refused({"embed", "--model", fixture("bert-classes"), "--input", text, "--pooling", "sum"}),
      HasSubstr("--pooling: expected mean, cls or max"));
  const std::string masked = fixture("bert-masked-lm");
  EXPECT_THAT(refused({"fill", "--model", masked, "--text", "a [MASK]", "--top", "0"}),
              HasSubstr("--top: expected a whole number from 1"));
  EXPECT_THAT(refused({"fill", "--model", masked, "--text", "a [MASK]", "--input", text}),
              HasSubstr("fill: give --text or --input, not both"));
  EXPECT_THAT(refused({"fill", "--model", masked, "--text", "\xFF [MASK]"}),
              HasSubstr("--text: is not UTF-8"));
}

TEST_F(EncoderCommands, BytesThatAreNotUtf8AreRepairedWithAWarning) {
  const ProgramResult result =
      run_yona({"classify", "--model", fixture("bert-classes"), "--input", file("a\xFF b\n")});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("in.txt:1: is not UTF-8"));
}

}  // namespace
}  // namespace yona::testing
