#include "yona/serve/engine/folder_generator.h"

#include <fstream>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/serve/engine/generating.h"

namespace yona::testing {
namespace {

using serve::FolderGenerator;

bool is_stale_now(FolderGenerator& model) {
  model.look_again();
  return model.is_stale();
}

class FolderGeneratorTest : public ::testing::Test {
 protected:
  FolderGenerator generator() const {
    return {{folder_.path(), "toy"}, {.threads = 1}, generation_options().limits};
  }

  const LanguageFolder folder_;
};

TEST_F(FolderGeneratorTest, LoadsAtTheFirstNeedAndAgainWhenTheFilesHaveChanged) {
  FolderGenerator model = generator();
  EXPECT_FALSE(model.is_loaded());
  EXPECT_TRUE(model.is_stale());
  EXPECT_EQ(model.load()->context, 96);
  EXPECT_TRUE(model.is_loaded());
  EXPECT_FALSE(is_stale_now(model));

  folder_.write_weights(2, 48);
  EXPECT_FALSE(model.is_stale());  // it has looked a moment ago
  EXPECT_TRUE(is_stale_now(model));
  EXPECT_EQ(model.load()->context, 48);
  EXPECT_FALSE(is_stale_now(model));
}

TEST_F(FolderGeneratorTest, KeepsTheModelWhereTheFolderCannotBeLoadedAgain) {
  FolderGenerator model = generator();
  EXPECT_TRUE(is_stale_now(model));
  model.load();
  std::ofstream(folder_.path() / "config.json") << "{}";
  EXPECT_TRUE(is_stale_now(model));
  EXPECT_FALSE(model.load().has_value());
  EXPECT_TRUE(model.is_loaded());
  EXPECT_FALSE(is_stale_now(model));  // the same files are not tried again
}

TEST_F(FolderGeneratorTest, TheFirstModelMustLoad) {
  FolderGenerator model = generator();
  EXPECT_TRUE(is_stale_now(model));
  std::ofstream(folder_.path() / "config.json") << "{}";
  EXPECT_THROW(model.load(), Error);
  EXPECT_FALSE(model.is_loaded());
}

}  // namespace
}  // namespace yona::testing
