#include "yona/tasks/language_model/run_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/lm_folder.h"
#include "tests/harness/op_case.h"
#include "tests/tasks/language_model/toy_text.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class LmRunModelTest : public ToyText {
 protected:
  RunPlace place(const std::filesystem::path& init = {}) {
    std::filesystem::create_directories(folder_ / "run");
    return {.output = folder_ / "run",
            .init = init,
            .checkpoint = {},
            .backend = shared_backend("cpu"),
            .reporter = reporter_};
  }

  Reporter reporter_;
  LmFolder hub_;
};

TEST_F(LmRunModelTest, ANewModelHasTheVocabularyOfItsTokeniser) {
  const LmRunModel made = prepare_lm(config(), place());
  EXPECT_EQ(made.description.config.vocabulary, made.tokenizer.size());
  EXPECT_EQ(made.description.config.d_model, 16);
  EXPECT_EQ(made.description.config.start_id, made.tokenizer.end());
  EXPECT_EQ(made.config.at("vocab_size"), made.tokenizer.size());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / "tokenizer.json"));
}

TEST_F(LmRunModelTest, ATokeniserOfAFolderIsCopied) {
  RunConfig with = config();
  with.language_model.data.tokenizer = hub_.path();
  const LmRunModel made = prepare_lm(with, place());
  EXPECT_EQ(made.description.config.vocabulary, 40);
  EXPECT_EQ(read_bytes(folder_ / "run" / "tokenizer.json"),
            read_bytes(hub_.path() / "tokenizer.json"));
  with.language_model.data.tokenizer = folder_ / "nowhere";
  EXPECT_THAT(message_of<InvalidArgument>([&] { prepare_lm(with, place()); }),
              HasSubstr("data.tokenizer: "));
}

TEST_F(LmRunModelTest, TheShapeIsThatOfTheFolderItStartsFromAndDropoutIsTheRuns) {
  const LmRunModel made = prepare_lm(config({{"model.dropout", "0.3", ""}}), place(hub_.path()));
  EXPECT_EQ(made.description.config.layers, 2);
  EXPECT_EQ(made.description.config.heads, 4);
  EXPECT_EQ(made.description.config.dropout, 0.3);
  EXPECT_EQ(made.tokenizer.encode("a"), (std::vector<std::int32_t>{4}));
}

TEST_F(LmRunModelTest, AFolderOfAnotherKindIsRefusedBeforeItsFilesAreCopied) {
  const auto bert = std::filesystem::path(YONA_FIXTURES) / "encoders" / "bert-classes";
  EXPECT_THAT(message_of<Error>([&] { prepare_lm(config(), place(bert)); }),
              HasSubstr("bert-classes"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run" / "tokenizer.json"));
}

}  // namespace
}  // namespace yona::testing
