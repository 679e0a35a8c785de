#include "yona/tasks/classification/class_evaluation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/encode/encoder_model.h"
#include "yona/tasks/train.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct KeptValidation : Reporter {
  void validated(const ValidationReport& report) override { last = report; }
  ValidationReport last;
};

// A run with one validation at its end: the folder holds the weights that were validated.
class ClassEvaluationTest : public ::testing::Test {
 protected:
  ValidationReport validated(const std::string& train_rows, const std::string& valid_rows,
                             const std::string& metrics) {
    write_bytes(folder_ / "t.tsv", "label\tsentence\n" + train_rows);
    write_bytes(folder_ / "v.tsv", "label\tsentence\n" + valid_rows);
    const RunConfig config = resolve_config("", {{"task", "classification", ""},
                                                 {"preset", "bert-tiny", ""},
                                                 {"data.train", folder_ / "t.tsv", ""},
                                                 {"data.valid", folder_ / "v.tsv", ""},
                                                 {"model.d_model", "32", ""},
                                                 {"model.d_ff", "32", ""},
                                                 {"train.valid_metrics", metrics, ""},
                                                 {"train.learning_rate", "0.001", ""},
                                                 {"train.warmup", "2", ""},
                                                 {"train.updates", "6", ""},
                                                 {"train.valid_every", "6", ""},
                                                 {"train.tensorboard", "false", ""}});
    KeptValidation kept;
    train(config, {.output = folder_ / "run", .threads = 1, .reporter = &kept});
    return kept.last;
  }

  TempDir folder_;
};

TEST_F(ClassEvaluationTest, FiguresAreThoseOfTheModelsAnswers) {
  const ValidationReport report = validated(
      "good\ta fine film\nbad\ta dull film\nfair\ta film\n",
      "good\ta fine film\nbad\ta fine film\nfair\tsome other text\n", "accuracy,f1,matthews");
  const auto model = EncoderModel::load(folder_ / "run", shared_backend("cpu"));
  const std::vector<std::string> labels{"good", "bad", "fair"};
  const auto answers = model->classify({{"a fine film"}, {"a fine film"}, {"some other text"}});
  double loss = 0;
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const LabelScore& label : answers[i].labels) {
      loss -= label.label == labels[i] ? std::log(label.score) / 3 : 0.0;
    }
    right += answers[i].labels[0].label == labels[i] ? 1 : 0;
  }
  EXPECT_NEAR(report.loss, loss, 1e-5);
  ASSERT_EQ(report.figures.size(), 3U);
  EXPECT_EQ(report.figures[0].name, "accuracy");
  EXPECT_NEAR(report.figures[0].value, 100 * right / 3, 1e-9);
  EXPECT_EQ(report.predictions, 3);
}

TEST_F(ClassEvaluationTest, ARegressionHasItsSquaredErrorAndRanks) {
  const ValidationReport report =
      validated("0.5\ta fine film\n-1\ta dull film\n2.5\ta great film\n",
                "0.5\ta fine film\n-1\ta dull film\n2.5\ta great film\n", "spearman");
  const auto model = EncoderModel::load(folder_ / "run", shared_backend("cpu"));
  const auto answers = model->classify({{"a fine film"}, {"a dull film"}, {"a great film"}});
  const std::vector<double> numbers{0.5, -1, 2.5};
  double loss = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    loss += std::pow(answers[i].labels[0].score - numbers[i], 2) / 3;
  }
  EXPECT_NEAR(report.loss, loss, 1e-4);
  EXPECT_EQ(report.figures.at(0).name, "spearman");
}

}  // namespace
}  // namespace yona::testing
