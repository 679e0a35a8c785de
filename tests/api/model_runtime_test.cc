#include "yona/api/model_runtime.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

class ModelRuntimeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { small_ = std::make_unique<SmallModel>(); }
  static void TearDownTestSuite() { small_.reset(); }

  inline static std::unique_ptr<SmallModel> small_;
};

TEST_F(ModelRuntimeTest, KeepsItsTranslatorWhileTheSearchStaysTheSame) {
  ModelRuntime runtime({small_->path()}, {}, {});
  const DecodeOptions* search = &runtime.prepare({.beam = 3});
  EXPECT_EQ(search->beam, 3);
  runtime.translate(std::vector<SourceLine>{{.text = "two", .number = 1}}, {.beam = 3});
  EXPECT_EQ(&runtime.prepare({.beam = 3}), search);
  EXPECT_EQ(runtime.prepare({.beam = 2}).beam, 2);
}

TEST_F(ModelRuntimeTest, RefusesASearchBeforeALineIsThere) {
  ModelRuntime runtime({small_->path()}, {}, {});
  EXPECT_THROW(runtime.prepare({.beam = 2, .n_best = 3}), InvalidArgument);
}

TEST_F(ModelRuntimeTest, CountsTheLinesThatItSplits) {
  ModelRuntime runtime({small_->path()}, {}, {});
  const std::vector<SourceLine> lines{{.text = std::string(500, 'x'), .number = 1},
                                      {.text = "two", .number = 2}};
  runtime.translate(lines, {});
  runtime.translate(lines, {});
  EXPECT_EQ(runtime.lines_split(), 2U);
  EXPECT_EQ(runtime.sentences_cut(), 2U);
}

TEST_F(ModelRuntimeTest, ReportsToTheCallUnderWayAlone) {
  ModelRuntime runtime({small_->path()}, {}, {});
  const std::vector<SourceLine> lines{{.text = "two", .number = 1}};
  int reports = 0;
  runtime.translate(lines, {.progress = [&](double) { ++reports; }});
  EXPECT_EQ(reports, 1);
  runtime.translate(lines, {});
  EXPECT_EQ(reports, 1);
}

}  // namespace
}  // namespace yona::testing
