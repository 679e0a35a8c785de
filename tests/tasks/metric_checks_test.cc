#include "yona/tasks/metric_checks.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

TEST(MetricChecks, NamesThatATaskDoesNotHaveAreRefused) {
  TrainConfig train;
  train.valid_metrics = {"f1", "accuracy"};
  EXPECT_NO_THROW(check_metric_names(train, {"accuracy", "f1", "matthews"}));
  EXPECT_EQ(testing::message_of<InvalidArgument>([&] {
              check_metric_names(train, {"f1", "complete", "tags"});
            }),
            "train.valid_metrics: expected f1, complete or tags, got 'accuracy'");
}

TEST(MetricChecks, TheBestIsByTheLossOrByWhatIsMeasured) {
  TrainConfig train;
  train.valid_metrics = {"f1"};
  train.best_by = "f1";
  EXPECT_NO_THROW(check_best_by(train));
  train.best_by = "tags";
  EXPECT_EQ(testing::message_of<InvalidArgument>([&] { check_best_by(train); }),
            "train.best_by: tags is not among train.valid_metrics; add it there");
  train.best_by = "loss";
  EXPECT_NO_THROW(check_best_by(train));
}

}  // namespace
}  // namespace yona
