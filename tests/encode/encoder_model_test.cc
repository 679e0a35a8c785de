#include "yona/encode/encoder_model.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/int8_folder.h"
#include "yona/io/json_file.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path fixture(const std::string& name) { return fs::path(YONA_FIXTURES) / "encoders" / name; }

std::unique_ptr<EncoderModel> loaded(const fs::path& folder, Packing packing = Packing::yes) {
  return EncoderModel::load(folder, shared_backend("cpu"), packing);
}

std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

TEST(EncoderModel, ProbabilitiesOfLabelsAddUpToOneInOrder) {
  const auto model = loaded(fixture("bert-classes"));
  const auto answers = model->classify({{"hello world"}, {"a", "the second"}});
  ASSERT_EQ(answers.size(), 2U);
  for (const ClassifiedText& answer : answers) {
    ASSERT_EQ(answer.labels.size(), 3U);
    EXPECT_GE(answer.labels[0].score, answer.labels[1].score);
    EXPECT_NEAR(answer.labels[0].score + answer.labels[1].score + answer.labels[2].score, 1, 1e-9);
  }
}

TEST(EncoderModel, AnswersDoNotDependOnTheOtherTexts) {
  const auto model = loaded(fixture("roberta-classes"));
  const auto alone = model->embed({"hello"});
  const auto among = model->embed({"a much longer text than that", "hello", ""});
  expect_near(doubles(among[1].vector), doubles(alone[0].vector), 1e-5, "embedding");
}

TEST(EncoderModel, EmbeddingsHaveLengthOneUnlessToldOtherwise) {
  const auto model = loaded(fixture("bert-masked-lm"));
  for (const char* pooling : {"mean", "cls", "max"}) {
    const auto normed = model->embed({"hello world"}, {.pooling = pooling, .prompt = {}});
    EXPECT_NEAR(norm_of(doubles(normed[0].vector)), 1.0, 1e-5) << pooling;
    const auto plain =
        model->embed({"hello world"}, {.pooling = pooling, .normalise = false, .prompt = {}});
    EXPECT_GT(std::abs(norm_of(doubles(plain[0].vector)) - 1.0), 1e-3) << pooling;
  }
}

TEST(EncoderModel, Int8EmbeddingsAreNear) {
  const auto exact = loaded(fixture("distilbert-classes"))->embed({"hello world, and the cat"});
  const auto int8 =
      loaded(fixture("distilbert-classes"), Packing::int8)->embed({"hello world, and the cat"});
  double dot = 0;
  for (std::size_t i = 0; i < exact[0].vector.size(); ++i) {
    dot += static_cast<double>(exact[0].vector[i]) * static_cast<double>(int8[0].vector[i]);
  }
  EXPECT_GT(dot, 0.99);
}

TEST(EncoderModel, Int8FoldersAnswerAsTheirOriginsDoInInt8) {
  for (const std::string name : {"bert-classes", "bert-masked-lm", "distilbert-classes",
                                 "distilbert-masked-lm", "roberta-classes", "roberta-masked-lm"}) {
    SCOPED_TRACE(name);
    const TempDir dir;
    write_int8_folder(fixture(name), dir / "int8", shared_backend("cpu"));
    const auto origin = loaded(fixture(name), Packing::int8);
    const auto made = loaded(dir / "int8", Packing::int8);
    EXPECT_EQ(made->info().labels, origin->info().labels);
    EXPECT_EQ(made->info().config.masked_lm, origin->info().config.masked_lm);
    EXPECT_EQ(made->embed({"hello"})[0].vector, origin->embed({"hello"})[0].vector);
    if (origin->info().config.labels > 0) {
      EXPECT_EQ(made->classify({{"a cat"}})[0].labels[0].score,
                origin->classify({{"a cat"}})[0].labels[0].score);
    } else {
      const std::string text = name.starts_with("roberta") ? "a <mask>" : "a [MASK]";
      EXPECT_EQ(made->fill(text)[0].candidates[0].probability,
                origin->fill(text)[0].candidates[0].probability);
    }
  }
}

TEST(EncoderModel, Int8FoldersKeepThePoolingOfSentenceTransformers) {
  const TempDir dir;
  fs::copy(fixture("bert-masked-lm"), dir / "f32", fs::copy_options::recursive);
  fs::create_directory(dir / "f32" / "1_Pooling");
  write_json(dir / "f32" / "1_Pooling" / "config.json", {{"pooling_mode", "cls"}});
  write_json(dir / "f32" / "modules.json",
             Json::array({{{"type", "models.Pooling"}, {"path", "1_Pooling"}}}));
  write_int8_folder(dir / "f32", dir / "int8", shared_backend("cpu"));
  EXPECT_EQ(loaded(dir / "int8", Packing::int8)->sentence_settings().pooling, Pooling::cls);
}

TEST(EncoderModel, FillsEveryMask) {
  const auto model = loaded(fixture("bert-masked-lm"));
  const auto masks = model->fill("hello [MASK] and [MASK]", 3);
  ASSERT_EQ(masks.size(), 2U);
  EXPECT_EQ(masks[0].place, 2);
  EXPECT_EQ(masks[1].candidates.size(), 3U);
  EXPECT_GE(masks[0].candidates[0].probability, masks[0].candidates[1].probability);
  EXPECT_FALSE(model->fill("a [MASK]", 1)[0].candidates[0].text.empty());
}

TEST(EncoderModel, WhatItCannotDoIsSaid) {
  const auto masked = loaded(fixture("bert-masked-lm"));
  const auto classes = loaded(fixture("bert-classes"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { masked->fill("hello"); }),
              HasSubstr("the text has no [MASK]"));
  std::string longer = "[MASK]";
  for (int i = 0; i < 60; ++i) {
    longer += " a";
  }
  EXPECT_THAT(message_of<InvalidArgument>([&] { masked->fill(longer); }),
              HasSubstr("the text is longer than the model's 48 positions"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { classes->fill("a [MASK]"); }),
              HasSubstr("the model has no head for masked words"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { masked->classify({{"a"}}); }),
              HasSubstr("the model has no classification head"));
  EXPECT_TRUE(classes->classify({{longer}})[0].is_cut);
  EXPECT_THAT(message_of<InvalidArgument>([&] { masked->embed({"a"}, {.prompt = "query"}); }),
              HasSubstr("the model has no prompt 'query'; it has none"));
}

class SentenceFolder : public ::testing::Test {
 protected:
  SentenceFolder() {
    fs::copy(fixture("bert-masked-lm"), folder_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::create_directory(folder_.path() / "1_Pooling");
    write_json(folder_.path() / "1_Pooling" / "config.json",
               Json{{"pooling_mode_cls_token", true}, {"pooling_mode_mean_tokens", false}});
    write_modules({"Transformer", "Pooling"});
    write_json(folder_.path() / "config_sentence_transformers.json",
               Json{{"prompts", {{"query", "the "}}}, {"default_prompt_name", nullptr}});
    write_json(folder_.path() / "sentence_bert_config.json", Json{{"max_seq_length", 6}});
  }
  void write_modules(const std::vector<std::string>& names) {
    Json modules = Json::array();
    for (const std::string& name : names) {
      modules.push_back({{"path", name == "Pooling" ? "1_Pooling" : ""},
                         {"type", "sentence_transformers.models." + name}});
    }
    write_json(folder_.path() / "modules.json", modules);
  }

  TempDir folder_;
};

TEST_F(SentenceFolder, SaysPoolingLengthAndPrompts) {
  const auto model = loaded(folder_.path());
  const auto plain = loaded(fixture("bert-masked-lm"));
  const EmbedTextOptions cls{.pooling = "cls", .normalise = false, .prompt = {}};
  expect_near(doubles(model->embed({"cat"}, {.prompt = "query"})[0].vector),
              doubles(plain->embed({"the cat"}, cls)[0].vector), 1e-5, "with a prompt");
  const auto cut = model->embed({"a a a a a a a a"});
  EXPECT_EQ(cut[0].tokens, 6);
  EXPECT_TRUE(cut[0].is_cut);
}

TEST_F(SentenceFolder, NormalisesWhereAModuleSaysSo) {
  EXPECT_FALSE(read_sentence_settings(folder_.path()).normalise);
  write_modules({"Transformer", "Pooling", "Normalize"});
  EXPECT_TRUE(read_sentence_settings(folder_.path()).normalise);
  EXPECT_TRUE(read_sentence_settings(fixture("bert-classes")).normalise);
}

TEST_F(SentenceFolder, ModulesAndPoolingsThatAreNotSupportedAreNamed) {
  write_modules({"Transformer", "Pooling", "Dense"});
  EXPECT_THAT(message_of<FormatError>([&] { read_sentence_settings(folder_.path()); }),
              HasSubstr("models.Dense\"} is not supported"));
  write_modules({"Transformer", "Pooling"});
  write_json(folder_.path() / "1_Pooling" / "config.json",
             Json{{"pooling_mode_weightedmean_tokens", true}});
  EXPECT_THAT(message_of<FormatError>([&] { read_sentence_settings(folder_.path()); }),
              HasSubstr("pooling_mode_weightedmean_tokens is not supported"));
}

}  // namespace
}  // namespace yona::testing
