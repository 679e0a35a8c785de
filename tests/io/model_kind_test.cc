#include "yona/io/model_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

ModelKind kind_of(const char* config) { return model_kind(Json::parse(config), "config.json"); }
std::string refusal(const char* config) {
  return message_of<FormatError>([&] { kind_of(config); });
}

TEST(ModelKind, GoesByTheTypeOfHubModels) {
  EXPECT_EQ(kind_of(R"({"model_type": "marian"})"), ModelKind::translation);
  EXPECT_EQ(kind_of(R"({"model_type": "t5"})"), ModelKind::translation);
  EXPECT_EQ(kind_of(R"({"model_type": "gpt2"})"), ModelKind::language_model);
  EXPECT_EQ(kind_of(R"({"model_type": "qwen3"})"), ModelKind::language_model);
  EXPECT_EQ(kind_of(R"({"model_type": "bert"})"), ModelKind::encoder);
  EXPECT_EQ(kind_of(R"({"model_type": "vit"})"), ModelKind::image);
}

TEST(ModelKind, GoesByTheTaskOfYonasOwn) {
  EXPECT_EQ(kind_of(R"({"model_type": "marian", "yona": {"version": 1, "model": {}}})"),
            ModelKind::translation);
  EXPECT_EQ(kind_of(R"({"model_type": "gpt2", "yona": {"version": 1, "task": "language-model"}})"),
            ModelKind::language_model);
  EXPECT_EQ(kind_of(R"({"yona": {"task": "question-answering"}})"), ModelKind::question_answering);
}

// Their tasks are where model_description.h writes them.
TEST(ModelKind, TellsParsersFromTranslationModels) {
  ModelDescription description;
  description.config.source_vocabulary = description.config.target_vocabulary = 10;
  EXPECT_EQ(model_kind(huggingface_config(description), "config.json"), ModelKind::translation);
  description.task = "parsing";
  EXPECT_EQ(model_kind(huggingface_config(description), "config.json"), ModelKind::parsing);
}

TEST(ModelKind, NamesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal(R"({"model_type": "mamba"})"),
              ::testing::StartsWith("config.json: model_type 'mamba' is not supported; marian, "));
  EXPECT_EQ(refusal(R"({"hidden_size": 3})"), "config.json: no \"model_type\"");
  EXPECT_EQ(refusal("[]"), "config.json: not a JSON object");
  EXPECT_EQ(refusal(R"({"yona": {"task": "dance"}})"),
            "config.json: the task \"dance\" of the key \"yona\" is not known: update yona");
}

TEST(ModelKind, SaysWhatACommandTakes) {
  const TempDir folder;
  write_bytes(folder / "config.json", R"({"model_type": "gpt2"})");
  EXPECT_NO_THROW(check_model_kind(folder.path(), ModelKind::language_model, "yona generate"));
  EXPECT_EQ(
      message_of<InvalidArgument>(
          [&] { check_model_kind(folder.path(), ModelKind::translation, "yona translate"); }),
      folder.path().string() + ": is a language model; yona translate takes a translation model");
}

TEST(ModelKind, WhatWritesNoTextIsNamedWithWhatTakesIt) {
  const auto refusal = [](const Json& config) {
    return message_of<FormatError>([&] { check_writes_text(config, "config.json"); });
  };
  EXPECT_THAT(refusal({{"model_type", "vit"}}),
              ::testing::HasSubstr("is an image classifier, not a translation model"));
  EXPECT_THAT(refusal({{"model_type", "roberta"}}), ::testing::HasSubstr("TextEncoder::load()"));
  EXPECT_THAT(refusal({{"yona", {{"task", "masked-lm"}}}}), ::testing::HasSubstr("is an encoder"));
  EXPECT_THAT(refusal({{"model_type", "gpt2"}}), ::testing::HasSubstr("yona generate"));
  EXPECT_THAT(refusal({{"yona", {{"task", "question-answering"}}}}),
              ::testing::HasSubstr("is a memory network, not a translation model"));
  for (const char* type : {"marian", "something else"}) {
    check_writes_text({{"model_type", type}}, "config.json");
  }
}

}  // namespace
}  // namespace yona::testing
