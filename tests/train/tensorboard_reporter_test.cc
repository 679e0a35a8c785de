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

TEST(TensorBoardReporter, WritesMeansOverTheUpdatesSinceTheLastOnesAsTheOtherReportersDo) {
  const testing::TempDir folder;
  {
    TensorBoardReporter reporter(folder.path(), 0, 2);
    for (const double loss : {1.0, 2.0}) {
      UpdateReport report = testing::update(loss == 1.0 ? 1 : 2);
      report.loss = loss;
      reporter.updated(report);
    }
  }
  const auto float_bytes = [](float value) {  // simple_value: field 2, 32 bits
    std::string bytes("\x15");
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return bytes;
  };
  const std::string content = only_file(folder.path());
  EXPECT_THAT(content, HasSubstr("train/loss" + float_bytes(1.5F)));
}

}  // namespace
}  // namespace yona
