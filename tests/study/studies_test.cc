// Every study in its small size: it ends, and its page shows what was measured.

#include "yona/study/studies.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/study/long_range_findings.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

Json small_study(std::string_view name, const std::filesystem::path& folder) {
  StudyOptions options;
  options.output = folder;
  options.size = StudySize::small;
  options.threads = 2;
  return run_study(study_kind(name), options)["points"];
}

TEST(Studies, Table1MeasuresEveryLayer) {
  const testing::TempDir folder;
  const Json points = small_study("table1", folder.path());
  EXPECT_EQ(points.size(), 35U);  // five layers: their structure, two widths, three lengths
  std::int64_t costs = 0;
  for (const auto& [name, point] : points.items()) {
    if (point.contains("ms")) {
      ++costs;
      EXPECT_GT(point["ms"].get<double>(), 0) << name;
      EXPECT_GT(point["mb"].get<double>(), 0) << name;
      EXPECT_GT(point["decoding us"].get<double>(), 0) << name;
    }
  }
  EXPECT_EQ(costs, 30);
  EXPECT_EQ(points["self-attention structure"]["path"], 1);
  EXPECT_EQ(points["recurrence (LSTM) structure"]["path"], 121);
  const std::string page = testing::read_bytes(folder.path() / "page.html");
  EXPECT_THAT(page, HasSubstr("O(r·n·d)"));
  EXPECT_THAT(page, HasSubstr("O(log_k(n))"));
  EXPECT_THAT(page, HasSubstr("it would be so from n = d = 64 on"));
  EXPECT_FALSE(read_json(folder.path() / "study.json")["findings"].empty());
}

TEST(Studies, PositionsTestsEveryKindAtEveryLength) {
  const testing::TempDir folder;
  const Json points = small_study("positions", folder.path());
  EXPECT_EQ(points.size(), 5U);
  for (const auto& [name, point] : points.items()) {
    EXPECT_EQ(point["accuracy"].size(), 8U) << name;
  }
  EXPECT_THAT(testing::read_bytes(folder.path() / "page.html"), HasSubstr("rotary"));
}

TEST(Studies, PartsTrainsEveryModel) {
  const testing::TempDir folder;
  const Json points = small_study("parts", folder.path());
  EXPECT_EQ(points.size(), 8U);
  for (const auto& [name, point] : points.items()) {
    EXPECT_TRUE(std::isfinite(point["loss"].get<double>())) << name;
    EXPECT_GE(point["bleu"].get<double>(), 0) << name;
  }
  EXPECT_NE(points["no residual seed=1"]["loss"], points["all parts seed=1"]["loss"]);
  EXPECT_NE(points["no causal mask seed=1"]["loss"], points["all parts seed=1"]["loss"]);
  EXPECT_NE(points["batch norm for layer norm seed=1"]["loss"], points["all parts seed=1"]["loss"]);
}

TEST(Studies, HeadsChangeTheLossAndAreRestored) {
  const testing::TempDir folder;
  const Json measured = small_study("heads", folder.path())["trained model"];
  ASSERT_EQ(measured["heads"].size(), 12U);  // four each of three attentions
  std::set<double> losses;
  for (const Json& head : measured["heads"]) {
    EXPECT_NE(head["loss"], measured["whole"]["loss"]);
    losses.insert(head["loss"].get<double>());
  }
  EXPECT_EQ(losses.size(), 12U) << "every head is another one";
}

TEST(Studies, Table2CountsTheWorkOfEveryArchitecture) {
  const testing::TempDir folder;
  const Json points = small_study("table2", folder.path());
  EXPECT_EQ(points.size(), 7U);
  for (const auto& [name, point] : points.items()) {
    EXPECT_GE(point["bleu"].get<double>(), 0) << name;
    EXPECT_EQ(point["bleu by length"].size(), 3U) << name;
    // Every parameter of a product takes at least six operations for each of 4 · 64 sentences.
    EXPECT_GT(point["flops"].get<double>(), 256.0 * point["parameters"].get<double>()) << name;
  }
  EXPECT_THAT(testing::read_bytes(folder.path() / "page.html"), HasSubstr("GNMT"));
}

TEST(Studies, DataSizeTrainsOnEverySize) {
  const testing::TempDir folder;
  const Json points = small_study("data-size", folder.path());
  EXPECT_EQ(points.size(), 4U);  // two sizes, two architectures
  for (const auto& [name, point] : points.items()) {
    EXPECT_TRUE(std::isfinite(point["loss"].get<double>())) << name;
    EXPECT_GE(point["bleu"].get<double>(), 0) << name;
  }
  EXPECT_NE(points["pairs=100 transformer rate=0.0005 seed=1"]["loss"],
            points["pairs=200 transformer rate=0.0005 seed=1"]["loss"]);
  EXPECT_THAT(testing::read_bytes(folder.path() / "page.html"), HasSubstr("lstm with attention"));
}

TEST(Studies, ForgettingMeasuresEveryArchitectureByDistance) {
  const testing::TempDir folder;
  const Json points = small_study("forgetting", folder.path());
  EXPECT_EQ(points.size(), 7U);
  for (const auto& [name, point] : points.items()) {
    EXPECT_EQ(point["recall"].size(), 7U) << name;
    for (const auto& [distance, norm] : point["gradient at the start"].items()) {
      EXPECT_GT(norm.get<double>(), 0) << name << " " << distance;
    }
  }
  // What an lstm passes on from afar is little, and far less than what attention does.
  const auto faded = [&](const char* name) {
    const Json& norms = points[std::string(name) + " rate=0.0005 seed=1"]["gradient at the start"];
    return norms["32"].get<double>() / norms["1"].get<double>();
  };
  EXPECT_LT(faded("lstm"), 1e-3 * faded("transformer"));
  EXPECT_THAT(testing::read_bytes(folder.path() / "page.html"), HasSubstr("tanh units"));
}

TEST(Studies, LongRangeComparesEveryAttention) {
  const testing::TempDir folder;
  const Json points = small_study("long-range", folder.path());
  const std::size_t attentions = long_range_kinds().size();
  EXPECT_EQ(points.size(), 2 * 2 * attentions);  // two tasks, two lengths
  EXPECT_NE(points["recall scaled 64"]["mb"], Json());
  const std::string page = testing::read_bytes(folder.path() / "page.html");
  EXPECT_THAT(page, HasSubstr("dilated"));
  EXPECT_THAT(page, HasSubstr("Left out: additive"));
  EXPECT_THAT(page, HasSubstr("--text FILE"));
}

TEST(Studies, LongRangeClassifiesTheTextThatItIsGiven) {
  const testing::TempDir folder;
  std::string sentences = "label\tsentence\n";
  for (int i = 0; i < 20; ++i) {
    sentences += fmt::format("{}\tsentence {}\n", i % 2, i);
  }
  StudyOptions options;
  options.output = folder.path() / "out";
  options.size = StudySize::small;
  options.threads = 2;
  options.text = folder.path() / "train.tsv";
  testing::write_bytes(options.text, sentences);
  const Json study = run_study(study_kind("long-range"), options);
  EXPECT_EQ(study["points"].size(), 3 * 2 * long_range_kinds().size());
  EXPECT_EQ(study["points"]["text scaled 64"]["chance"], 0.5);
  EXPECT_THAT(testing::read_bytes(options.output / "page.html"), HasSubstr("text: accuracy"));
  EXPECT_THAT(
      testing::message_of<InvalidArgument>([&] { run_study(study_kind("heads"), options); }),
      HasSubstr("study: heads does not read --text"));
}

}  // namespace
}  // namespace yona
