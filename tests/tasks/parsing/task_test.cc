// A parsing run from treebank files to a model folder: what is written, what repeats, what is
// refused.

#include "yona/tasks/parsing/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/api/model.h"
#include "yona/base/error.h"
#include "yona/io/translation_model.h"
#include "yona/trees/tree_reader.h"

#include "tests/harness/run_files.h"
#include "tests/tasks/parsing/toy_treebank.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::run_files;

class ParsingTaskTest : public testing::ToyTreebank {
 protected:
  TrainResult run(const RunConfig& config, const std::string& name, bool resume = false,
                  int threads = 1) {
    return train(config,
                 {.output = folder_ / name, .resume = resume, .init = {}, .threads = threads});
  }
};

TEST_F(ParsingTaskTest, WritesAFolderThatParsesAndSaysWhatItIs) {
  run(config(), "run");
  const Model model = Model::load(folder_ / "run", {.threads = 1});
  EXPECT_EQ(model.details().task, "parsing");
  EXPECT_NE(model.details().source_vocabulary, model.details().target_vocabulary);
  for (const std::int64_t beam : {1, 4}) {
    const std::vector<std::string> trees = model.parse(
        {"the cat sees a dog .", "", "unseen Wörter (here) ."}, {.beam = beam, .tokenized = true});
    ASSERT_EQ(trees.size(), 3U);
    EXPECT_THAT(tree_of(trees[0]).words(), ElementsAre("the", "cat", "sees", "a", "dog", "."));
    EXPECT_EQ(trees[1], "");
    EXPECT_THAT(tree_of(trees[2]).words(), ElementsAre("unseen", "Wörter", "-LRB-here-RRB-", "."));
  }
  EXPECT_THAT(tree_of(model.parse("He doesn't.")).words(), ElementsAre("He", "does", "n't", "."));
}

TEST_F(ParsingTaskTest, AParserDoesNotTranslateAndIsToldApart) {
  run(config(), "run");
  const Model model = Model::load(folder_ / "run", {.threads = 1});
  EXPECT_THAT(message_of<InvalidArgument>([&] { model.translate("the cat"); }),
              HasSubstr("is a model of the task parsing; translating needs one of translation"));
}

TEST_F(ParsingTaskTest, AnyNumberOfThreadsGivesTheSameBytes) {
  run(config(), "one", false, 1);
  run(config(), "two", false, 2);
  EXPECT_EQ(run_files(folder_ / "one"), run_files(folder_ / "two"));
}

TEST_F(ParsingTaskTest, ARunThatWasStoppedIsResumedToTheByte) {
  run(config(), "straight");
  RunConfig half = config();
  half.train.updates = 8;
  run(half, "stopped");
  run(config(), "stopped", true);
  EXPECT_EQ(run_files(folder_ / "straight"), run_files(folder_ / "stopped"));
}

TEST_F(ParsingTaskTest, OtherTreesOrSettingsAreRefusedWhenARunIsResumed) {
  RunConfig half = config();
  half.train.updates = 4;
  run(half, "run");
  RunConfig other = config();
  other.parsing.leaves = LeafSymbol::placeholder;
  other.parsing.substitution = 0.5;
  const std::string message = message_of<InvalidArgument>([&] { run(other, "run", true); });
  EXPECT_THAT(message, HasSubstr("data.leaves: tags → placeholders"));
  EXPECT_THAT(message, HasSubstr("data.substitution: 0.1 → 0.5"));
  testing::write_bytes(folder_ / "train.mrg", "(S (NP (DT the) (NN cat)) (VP (VBZ sees)))");
  EXPECT_THAT(message_of<InvalidArgument>([&] { run(config(), "run", true); }),
              HasSubstr("train.mrg: changed"));
}

// Keeps what validations report.
class Figures : public Reporter {
 public:
  void validated(const ValidationReport& report) override { reports.push_back(report); }
  void sampled(const SamplesReport& report) override { samples = report.samples; }
  std::vector<ValidationReport> reports;
  std::vector<OutputSample> samples;
};

TEST_F(ParsingTaskTest, LearnsAToyGrammarByF1) {
  RunConfig longer = config();
  longer.train.updates = 150;
  longer.train.valid_every = 50;
  longer.train.batch_tokens = 1000;
  longer.train.schedule = {.kind = ScheduleKind::constant, .rate = 0.005, .warmup = 20};
  longer.parsing.sampling = 0;
  longer.model.dropout = longer.model.attention_dropout = 0;
  longer.train.valid_metrics = {"f1", "tags"};
  Figures figures;
  train(longer, {.output = folder_ / "run", .threads = 1, .reporter = &figures, .samples = 2});
  ASSERT_EQ(figures.reports.size(), 3U);
  EXPECT_EQ(figures.reports.back().figures[0].name, "f1");
  EXPECT_GT(figures.reports.back().figures[0].value, 90.0);
  EXPECT_GT(figures.reports.back().figures[1].value, 90.0);
  ASSERT_EQ(figures.samples.size(), 2U);
  EXPECT_THAT(figures.samples[0].output, ::testing::StartsWith("(S "));
  EXPECT_FALSE(figures.samples[0].attention.empty());
}

TEST_F(ParsingTaskTest, BadDataIsRefusedInOneLine) {
  const auto refused = [&](const RunConfig& bad) {
    return message_of<Error>([&] { run(bad, "bad"); });
  };
  RunConfig bad = config();
  testing::write_bytes(folder_ / "odd.mrg", "(S (NP (NN a))\n");
  bad.parsing.train = {folder_ / "odd.mrg"};
  EXPECT_THAT(refused(bad), HasSubstr("odd.mrg:2: the file ends inside the tree"));
  bad = config();
  bad.parsing.max_length = 3;
  EXPECT_THAT(refused(bad),
              HasSubstr("data.train: all 200 trees are longer than data.max_length 3"));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { train(config(), {.output = folder_ / "bad", .init = "/tmp"}); }),
              HasSubstr("--init /tmp: the task parsing begins with a new model"));
}

}  // namespace
}  // namespace yona
