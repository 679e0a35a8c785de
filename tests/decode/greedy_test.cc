// A model trained for a moment on a tiny task: greedy decoding must agree with itself however the
// lines are batched, keep blank lines, and refuse what is too long.

#include "yona/decode/greedy.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/builtin/generator.h"
#include "yona/train/trainer.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

class GreedyTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string pattern = (fs::temp_directory_path() / "yona-greedy-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    builtin::Generator generator({.seed = 5}, builtin::Split::train);
    std::ofstream en(folder_ / "train.en");
    std::ofstream de(folder_ / "train.de");
    for (int i = 0; i < 300; ++i) {
      const auto [source, target] = generator.next_pair();
      lines_.push_back(source);
      en << source << '\n';
      de << target << '\n';
    }
    en.close();
    de.close();
    RunConfig config;
    config.model = preset("tiny");
    config.model.encoder_layers = config.model.decoder_layers = 1;
    config.model.d_model = 32;
    config.model.max_positions = 40;
    CorpusSpec corpus;
    corpus.source_files = {folder_ / "train.en"};
    corpus.target_files = {folder_ / "train.de"};
    config.data.corpora = {corpus};
    config.data.vocabulary_size = 420;
    config.train.updates = 60;
    config.train.batch_tokens = 500;
    config.train.tensorboard = false;
    config.train.schedule = {
        .kind = ScheduleKind::constant, .rate = 3e-3, .warmup = 5, .final_rate = 0};
    train(config, {.output = folder_ / "run", .init = {}});
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  inline static fs::path folder_;
  inline static std::vector<std::string> lines_;
};

TEST_F(GreedyTest, DoesNotDependOnHowLinesAreBatched) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  GreedyTranslator together(*model, *backend);
  GreedyTranslator alone(*model, *backend, {.batch_sentences = 1});
  lines_.resize(40);
  const std::vector<std::string> translations = together.translate(lines_);
  EXPECT_EQ(translations, alone.translate(lines_));
  EXPECT_TRUE(std::any_of(translations.begin(), translations.end(),
                          [](const std::string& line) { return !line.empty(); }));
}

TEST_F(GreedyTest, KeepsBlankLinesAndOrder) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  GreedyTranslator translator(*model, *backend);
  const auto translations = translator.translate({"", lines_[0], "", lines_[1]});
  ASSERT_EQ(translations.size(), 4U);
  EXPECT_EQ(translations[0], "");
  EXPECT_EQ(translations[2], "");
  EXPECT_EQ(translations[1], translator.translate({lines_[0]}).front());
  EXPECT_EQ(translations[3], translator.translate({lines_[1]}).front());
  EXPECT_TRUE(translator.translate({}).empty());
}

TEST_F(GreedyTest, SaysWhichLineIsTooLong) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  GreedyTranslator translator(*model, *backend);
  std::string line;
  for (int i = 0; i < 60; ++i) {
    line += "seven ";
  }
  try {
    translator.translate({"seven", line});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("line 2 has "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace yona
