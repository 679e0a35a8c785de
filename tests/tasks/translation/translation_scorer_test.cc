// Validation by translation: the figures of a run are those of its model's translations, they can
// choose the best model, and they change nothing about the training.

#include "yona/tasks/translation/translation_scorer.h"

#include <fstream>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"
#include "yona/io/translation_model.h"
#include "yona/score/segments.h"

#include "tests/train/toy_run.h"

namespace yona::testing {
namespace {

struct Record {
  std::vector<ValidationReport> validations;
  FinishReport end;
};

struct Recorder : Reporter {
  void validated(const ValidationReport& report) override { record.validations.push_back(report); }
  void finished(const FinishReport& report) override { record.end = report; }
  Record record;
};

class TranslationScorerTest : public ToyRun {
 protected:
  TranslationScorerTest() : ToyRun(200, 12) {}

  RunConfig config() const {
    RunConfig config = ToyRun::config();
    config.model.dropout = 0.1;
    config.model.attention_dropout = 0;
    config.train.updates = 30;
    config.train.batch_tokens = 500;
    config.train.accumulate = 1;
    config.train.valid_every = config.train.save_every = 10;
    config.train.schedule = {
        .kind = ScheduleKind::constant, .rate = 3e-3, .warmup = 5, .final_rate = 0};
    config.train.valid_metrics = {"bleu", "chrf", "ter"};
    config.train.best_by = "chrf";
    return config;
  }
  Record run(const RunConfig& config, const std::string& name, bool resume = false) const {
    Recorder recorder;
    train(config, {.output = folder_ / name, .resume = resume, .init = {}, .reporter = &recorder});
    return recorder.record;
  }
  CorpusSpec valid_set() const {
    CorpusSpec set;
    set.source_files = {folder_ / "valid.en"};
    set.target_files = {folder_ / "valid.de"};
    return set;
  }
};

TEST_F(TranslationScorerTest, ReportsWhatTheModelsTranslationsScore) {
  const Record recorder = run(config(), "run");
  ASSERT_EQ(recorder.validations.size(), 3U);
  const ValidationReport* best = nullptr;
  for (const ValidationReport& report : recorder.validations) {
    ASSERT_EQ(report.figures.size(), 3U);
    EXPECT_EQ(report.figures[1].name, "chrf");
    EXPECT_EQ(report.is_best, best == nullptr || report.figures[1].value > best->figures[1].value);
    best = report.is_best ? &report : best;
  }
  EXPECT_EQ(recorder.end.best_by, "chrf");
  EXPECT_EQ(recorder.end.best_score, best->figures[1].value);
  EXPECT_EQ(recorder.end.best_update, best->update);

  // The model folder holds the best: translated and scored again, it gives the same figures.
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  LineReader source(folder_ / "valid.en");
  LineReader target(folder_ / "valid.de");
  const auto translations =
      Translator({model.get()}, *backend, {.beam = 1}).translate(read_segments(source));
  const References references = join_references({{"valid.de", read_segments(target)}});
  for (const ValidationFigure& figure : best->figures) {
    const auto metric = validation_metric(figure.name, "de");
    const double again =
        metric->score(corpus_statistics(*metric, translations, references).sums()).value;
    EXPECT_EQ(again, figure.value) << figure.name;
  }
}

TEST_F(TranslationScorerTest, ChangesNothingAboutTheTraining) {
  run(config(), "scored");
  RunConfig plain = config();
  plain.train.valid_metrics.clear();
  plain.train.best_by = "loss";
  run(plain, "plain");
  const std::string last = "checkpoints/step-30/model.safetensors";
  EXPECT_EQ(read_bytes(folder_ / "scored" / last), read_bytes(folder_ / "plain" / last));
}

TEST_F(TranslationScorerTest, ResumesBitByBit) {
  run(config(), "straight");
  RunConfig half = config();
  half.train.updates = 20;
  run(half, "resumed");
  const Record rest = run(config(), "resumed", true);
  EXPECT_EQ(rest.validations.size(), 1U);
  for (const std::string file : {"model.safetensors", "checkpoints/step-30/model.safetensors",
                                 "checkpoints/step-30/state.json"}) {
    EXPECT_EQ(read_bytes(folder_ / "straight" / file), read_bytes(folder_ / "resumed" / file))
        << file;
  }
  RunConfig other = config();
  other.train.best_by = "loss";
  EXPECT_NE(message_of<InvalidArgument>([&] {
              run(other, "resumed", true);
            }).find("train.best_by: chrf → loss; "),
            std::string::npos);
}

TEST_F(TranslationScorerTest, CountsLinesThatAreTooLongAsWrong) {
  std::ofstream(folder_ / "valid.en", std::ios::app) << std::string(4000, 'x') << "\n\n";
  std::ofstream(folder_ / "valid.de", std::ios::app) << "lang\nleer\n";
  RunConfig once = config();
  once.train.updates = 1;
  run(once, "run");
  const SubwordPair subwords = SubwordPair::load(folder_ / "run");
  const TranslationScorer scorer(
      valid_set(), subwords, {.metrics = {"bleu"}, .target_language = "de", .max_positions = 100});
  EXPECT_EQ(scorer.overlong_lines(), 1);
}

TEST_F(TranslationScorerTest, RefusesFilesThatDoNotCorrespond) {
  RunConfig once = config();
  once.train.updates = 1;
  once.train.valid_metrics.clear();
  once.train.best_by = "loss";
  run(once, "run");
  const SubwordPair subwords = SubwordPair::load(folder_ / "run");
  std::ofstream(folder_ / "valid.en", std::ios::app) << "one more\n";
  EXPECT_NE(message_of<InvalidArgument>([&] {
              TranslationScorer(valid_set(), subwords, {.metrics = {}, .target_language = ""});
            }).find("has 13 lines and"),
            std::string::npos);
}

TEST(ValidationMetric, SuitsTheTargetLanguage) {
  const auto settings = [](const std::string& language) {
    return validation_metric("bleu", language)->settings().at(2).value;
  };
  EXPECT_EQ(settings("de"), "13a");
  EXPECT_EQ(settings(""), "13a");
  EXPECT_EQ(settings("zho_Hans"), "zh");
  EXPECT_EQ(settings("jpn_Jpan"), settings("ja"));
  EXPECT_EQ(settings("jav_Latn"), settings("de"));
  EXPECT_EQ(settings("zh"), "zh");
  EXPECT_EQ(settings("zh-Hant"), "zh");
  EXPECT_EQ(settings("ja"), "char");
  EXPECT_EQ(message_of<InvalidArgument>([] { validation_metric("meteor", "de"); }),
            "train.valid_metrics: expected bleu, chrf or ter, got 'meteor'");
}

TEST_F(TranslationScorerTest, NeedsASetAndAMetricToDecideBy) {
  RunConfig none = config();
  none.data.valid.clear();
  EXPECT_EQ(message_of<InvalidArgument>([&] { check_run_config(none); }),
            "train.valid_metrics: there is no validation set (--valid-src and --valid-tgt)");
  RunConfig other = config();
  other.train.valid_metrics = {"ter"};
  EXPECT_EQ(message_of<InvalidArgument>([&] { check_run_config(other); }),
            "train.best_by: chrf is not among train.valid_metrics; add it there");
}

}  // namespace
}  // namespace yona::testing
