#include "yona/train/tensorboard_reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string only_file(const std::filesystem::path& folder) {
  return testing::read_bytes(std::filesystem::directory_iterator(folder)->path());
}

TEST(TensorBoardReporter, WritesEveryNthUpdateAndEveryValidation) {
  const testing::TempDir folder;
  {
    TensorBoardReporter reporter(folder.path(), 0, 10);
    reporter.updated(testing::update(9));
  }
  EXPECT_THAT(only_file(folder.path()), Not(HasSubstr("train/loss")));
  const testing::TempDir other;
  {
    TensorBoardReporter reporter(other.path(), 0, 10);
    reporter.updated(testing::update(10));
    reporter.validated({.set = "valid", .update = 10, .loss = 1, .figures = {{"bleu", 30.0}}});
    // A validation is on the disk when it is over.
    EXPECT_THAT(only_file(other.path()), HasSubstr("valid/nats_per_byte"));
  }
  for (const char* tag :
       {"train/loss", "train/perplexity", "train/learning_rate", "train/gradient_norm",
        "train/tokens_per_second", "valid/loss", "valid/perplexity", "valid/bleu"}) {
    EXPECT_THAT(only_file(other.path()), HasSubstr(tag));
  }
}

}  // namespace
}  // namespace yona
