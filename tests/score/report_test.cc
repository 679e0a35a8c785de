#include "yona/score/report.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

ScoreReport bleu() {
  return {
      {"BLEU", 39.4567, "70.0/45.0/30.0/20.0 (BP = 1.000 ratio = 1.000 hyp_len = 9 ref_len = 9)"},
      "nrefs:1|version:x",
      {}};
}

TEST(Report, WritesALineAsSacreBleuDoes) {
  EXPECT_EQ(full_line(bleu(), 1),
            "BLEU|nrefs:1|version:x = 39.5 70.0/45.0/30.0/20.0 (BP = 1.000 ratio = 1.000 "
            "hyp_len = 9 ref_len = 9)");
  EXPECT_EQ(full_line({{"TER", 7.0, ""}, "nrefs:1", Confidence{7.25, 0.5}}, 2),
            "TER|nrefs:1 = 7.00 (μ = 7.25 ± 0.50)");
  EXPECT_EQ(score_only(bleu(), 3), "39.457");
}

TEST(Report, AlignsLinesAtTheirScores) {
  EXPECT_EQ(aligned_lines({{{"BLEU", 1, ""}, "a:1", {}}, {{"TER", 2, ""}, "b:2|c:3", {}}}, 0),
            "   BLEU|a:1 = 1\nTER|b:2|c:3 = 2\n");
}

TEST(Report, GivesJsonTheKeysOfSacreBleu) {
  ScoreReport report = bleu();
  report.confidence = Confidence{39.44, 1.26};
  const Json json = to_json(report, 1);
  EXPECT_EQ(json["name"], "BLEU");
  EXPECT_EQ(json["score"].dump(), "39.5");
  EXPECT_EQ(json["unrounded"].get<double>(), 39.4567);
  EXPECT_EQ(json["confidence"], "μ = 39.4 ± 1.3");
  EXPECT_EQ(json["confidence_mean"].dump(), "39.4");
  EXPECT_EQ(json["confidence_var"].dump(), "1.3");
  EXPECT_EQ(json["nrefs"], "1");
  EXPECT_EQ(json["version"], "x");
  EXPECT_TRUE(json.contains("verbose_score"));
}

SystemTable table() {
  return {{"Baseline: a", "b"},
          {{"BLEU",
            "nrefs:1",
            {{30.0, Confidence{30.1, 1.0}, {}}, {31.0, Confidence{31.1, 1.1}, 0.01}}},
           {"TER", "nrefs:1", {{50.0, {}, {}}, {49.0, {}, 0.2}}}}};
}

TEST(Report, PutsSystemsUnderEachOther) {
  EXPECT_EQ(to_text(table(), 1),
            "System        BLEU (μ ± 95% CI)               TER\n"
            "Baseline: a   30.0 (30.1 ± 1.0)               50.0\n"
            "b             31.0 (31.1 ± 1.1) p = 0.0100*   49.0 p = 0.2000\n"
            "\n"
            "BLEU|nrefs:1\n"
            "TER|nrefs:1\n");
}

TEST(Report, GivesSystemsAsJson) {
  const Json json = to_json(table());
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["system"], "Baseline: a");
  EXPECT_TRUE(json[0]["BLEU"]["p_value"].is_null());
  EXPECT_EQ(json[1]["BLEU"]["p_value"], 0.01);
  EXPECT_EQ(json[1]["BLEU"]["ci"], 1.1);
  EXPECT_TRUE(json[1]["TER"]["mean"].is_null());
}

}  // namespace
}  // namespace yona::testing
