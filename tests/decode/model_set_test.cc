#include "yona/decode/model_set.h"

#include <gmock/gmock.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class ModelSetTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    small_ = std::make_unique<SmallModel>();
    backend_ = make_backend("cpu");
  }
  static void TearDownTestSuite() {
    backend_.reset();
    small_.reset();
  }
  static ModelSet load(const ModelSetOptions& options = {}) {
    return ModelSet({small_->path()}, {{.backend = backend_.get()}}, options);
  }

  inline static std::unique_ptr<SmallModel> small_;
  inline static std::unique_ptr<Backend> backend_;
};

TEST_F(ModelSetTest, PacksWeightsAsTheComputeTypeSays) {
  EXPECT_EQ(load().first().quantised(), nullptr);
  EXPECT_NE(load({.type = choose_compute_type("int8", "cpu", "x")}).first().quantised(), nullptr);
}

TEST_F(ModelSetTest, TranslatesAsAPackedModelDoes) {
  ModelSet set = load();
  const auto plain = TranslationModel::load(small_->path(), *backend_, Packing::yes);
  Translator expected({plain.get()}, *backend_);
  const std::vector<std::string> lines(small_->lines().begin(), small_->lines().begin() + 5);
  EXPECT_EQ(set.translator(set.search({}), {})->translate(lines), expected.translate(lines));
}

TEST_F(ModelSetTest, ChecksOrReplacesTheFoldersPair) {
  EXPECT_THAT(message_of<InvalidArgument>([] {
                load({.languages = {"en", "fr"}});
              }),
              HasSubstr("translates from en to de"));
  const ModelSet set = load({.languages = {"en", "fr"}, .pair = FolderPair::replaced});
  EXPECT_EQ(set.line_options().source_language, set.first().info().source_language);
  EXPECT_EQ(load().line_options(LongLines::refuse).long_lines, LongLines::refuse);
}

// A folder is read when it is first asked, so that its warnings come once.
TEST_F(ModelSetTest, ReadsTheFoldersSearchOnce) {
  ModelSet set = load();
  const std::filesystem::path file = small_->path() / "generation_config.json";
  write_json(file, {{"num_beams", 3}});
  EXPECT_EQ(set.search({.beam_mode = "huggingface"}).beam, 3);
  write_json(file, {{"num_beams", 7}});
  EXPECT_EQ(set.search({.beam_mode = "huggingface"}).beam, 3);
  EXPECT_EQ(load().search({.beam_mode = "huggingface"}).beam, 7);
  std::filesystem::remove(file);
  EXPECT_EQ(set.search({}).mode, BeamMode::paper);
}

TEST_F(ModelSetTest, ChecksSearchesUnlessTheCallerDoes) {
  ModelSet set = load();
  const TranslateOptions asked{.beam = 2, .n_best = 3};
  EXPECT_THROW(set.search(asked), InvalidArgument);
  EXPECT_EQ(set.search_unchecked(asked).n_best, 3);
}

TEST_F(ModelSetTest, SaysWhatIsWrong) {
  EXPECT_THAT(message_of<InvalidArgument>(
                  [] { ModelSet({}, {{.backend = backend_.get()}}, ModelSetOptions{}); }),
              HasSubstr("there is no folder"));
  EXPECT_THROW(load({.shortlist = small_->path() / "none"}), IoError);
}

}  // namespace
}  // namespace yona::testing
