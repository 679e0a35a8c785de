// What the pages say follows from the numbers of their points, whichever way these fell out.

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/study/studies.h"

namespace yona {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// --- table 1 ---------------------------------------------------------------------------------

// Self-attention takes n² / 1000 ms; the recurrence and restricted attention `factor` n / 1000.
Json layer_points(double factor) {
  Json points = Json::object();
  for (const double n : {64.0, 128.0, 256.0, 512.0}) {
    for (const char* layer : {"self-attention", "restricted self-attention", "recurrence (LSTM)"}) {
      const double ms = std::string_view(layer) == "self-attention" ? n * n : factor * n;
      points[fmt::format("{} n={} d=32", layer, n)] = {
          {"layer", layer}, {"length", static_cast<std::int64_t>(n)},
          {"width", 32},    {"ms", ms / 1000},
          {"mb", n},        {"decoding us", ms / 1000}};
    }
  }
  return points;
}

TEST(Findings, Table1NamesTheCrossing) {
  EXPECT_THAT(
      table1_page(layer_points(128)).findings,
      Contains(HasSubstr("d = 32: recurrence (LSTM) is faster from about n = 130 on (0.25 of "
                         "the time at n = 512). By the O(·) of the table it would be so "
                         "from n = d = 32 on.")));
  EXPECT_THAT(table1_page(layer_points(10)).findings,
              Contains(HasSubstr("recurrence (LSTM) is faster at every measured n from 64 on")));
  const auto slow = table1_page(layer_points(5000)).findings;
  EXPECT_THAT(slow, Contains(HasSubstr("recurrence (LSTM) is not faster at n = 512")));
  EXPECT_THAT(slow, Contains(HasSubstr("n^2.00 for self-attention, more than linear, n^1.00 for "
                                       "restricted self-attention,")));
}

// --- table 2 ---------------------------------------------------------------------------------

Json translated(const char* arch, double on_short, double on_long, double flops) {
  const Json groups{{{"words", "2-4 words"}, {"bleu", on_short}},
                    {{"words", "8-12 words"}, {"bleu", on_long}}};
  return {{"arch", arch},   {"rate", 2e-3},
          {"seed", 1},      {"parameters", 1000},
          {"loss", 1.0},    {"bleu", (on_short + on_long) / 2},
          {"flops", flops}, {"bleu by length", groups}};
}

TEST(Findings, Table2ComparesAttentionWithThePlainRnnByLength) {
  const Json better{{"a", translated("transformer", 60, 50, 1e9)},
                    {"b", translated("lstm with attention", 55, 45, 2e9)},
                    {"c", translated("lstm", 50, 20, 2e9)}};
  const auto findings = table2_page(better).findings;
  EXPECT_THAT(findings, Contains("The Transformer has 55.0 BLEU, 5.0 more than the best of the "
                                 "others, lstm with attention, which takes 2.00 of its training "
                                 "FLOPs."));
  EXPECT_THAT(findings,
              Contains("Attention: lstm with attention has 15.0 BLEU more than the lstm "
                       "without it; the difference is +5.0 on 2-4 words and +25.0 on 8-12 "
                       "words, larger on long sentences."));
  const Json worse{{"a", translated("transformer", 40, 30, 1e9)},
                   {"c", translated("lstm", 50, 45, 2e9)}};
  const auto opposite = table2_page(worse).findings;
  EXPECT_THAT(opposite, Contains(HasSubstr("35.0 BLEU, 12.5 less than the best of the others")));
  EXPECT_THAT(opposite, Contains(HasSubstr("transformer has 12.5 BLEU less than the lstm without "
                                           "it; the difference is -10.0 on 2-4 words and -15.0 on "
                                           "8-12 words, not larger on long sentences")));
  EXPECT_TRUE(table2_page(Json::object()).findings.empty());
}

// --- positions ------------------------------------------------------------------------------

Json positioned(const char* kind, double within, double beyond) {
  Json accuracy = Json::object();
  for (const int length : {4, 8, 12, 16, 18, 20, 24, 32}) {
    accuracy[fmt::format("{}", length)] = length <= 16 ? within : beyond;
  }
  return {{"positions", kind}, {"seed", 1}, {"accuracy", accuracy}};
}

TEST(Findings, PositionsSayWhetherWordOrderIsLost) {
  const auto lost = positions_page({{"a", positioned("none", 0.1, 0.1)},
                                    {"b", positioned("learned", 0.9, 0.2)},
                                    {"c", positioned("rotary", 0.95, 0.94)}})
                        .findings;
  EXPECT_THAT(lost, Contains("Without positions 0.10 of the symbols are right at length 16, with "
                             "the best of the kinds, rotary, 0.95: word order is lost without "
                             "them."));
  EXPECT_THAT(lost, Contains(HasSubstr("learned goes from 0.90 to 0.20, rotary goes from 0.95 to "
                                       "0.94. Working beyond it: rotary.")));
  const auto kept =
      positions_page({{"a", positioned("none", 0.8, 0.1)}, {"b", positioned("learned", 0.9, 0.2)}})
          .findings;
  EXPECT_THAT(kept, Contains(HasSubstr("word order is not lost without them")));
  EXPECT_THAT(kept, Contains(HasSubstr("None of the positions works beyond the training length")));
  const auto untrained = positions_page({{"a", positioned("none", 0.06, 0.06)},
                                         {"b", positioned("learned", 0.2, 0.2)}})
                             .findings;
  EXPECT_THAT(untrained, Contains(HasSubstr("learned, 0.20: none of them has learned the task")));
  EXPECT_THAT(untrained, Contains(HasSubstr("None of the positions works beyond")));
}

// --- parts ------------------------------------------------------------------------------------

Json part(const char* name, double loss, double right, double ms) {
  return {{"part", name},       {"seed", 1},           {"loss", loss}, {"symbols", right},
          {"sequences", right}, {"bleu", 100 * right}, {"ms", ms},     {"mb", 10}};
}

TEST(Findings, PartsSayWhatEachChanges) {
  const auto findings = parts_page({{"a", part("all parts", 0.1, 0.9, 10)},
                                    {"b", part("additive instead of dot product", 0.1, 0.95, 25)},
                                    {"c", part("no causal mask", 0.01, 0.0, 10)}})
                            .findings;
  EXPECT_THAT(findings,
              Contains("additive instead of dot product: +0.05 of the symbols, +5.0 BLEU, "
                       "2.50 of the time and 1.00 of the memory of all parts."));
  EXPECT_THAT(findings, Contains("Without a causal mask the loss is 0.010 (with it 0.100) and 0.00 "
                                 "of its own sequences are right (with it 0.90): it reads what it "
                                 "should predict."));
  EXPECT_THAT(parts_page({{"a", part("all parts", 0.1, 0.9, 10)},
                          {"c", part("no causal mask", 0.2, 0.8, 10)}})
                  .findings,
              Contains(HasSubstr("here it did not learn to read what it should predict")));
}

// --- heads, data size, forgetting ---------------------------------------------------------------

TEST(Findings, HeadsNameTheDearest) {
  const auto head = [](int number, double loss) {
    return Json{{"attention", "decoder.layers.0.cross_attention"},
                {"head", number},
                {"loss", loss},
                {"symbols", 1}};
  };
  const Json measured{{"whole", {{"loss", 0.5}, {"symbols", 1}}},
                      {"heads", {head(0, 0.505), head(1, 2.5), head(2, 0.4)}}};
  EXPECT_THAT(heads_page({{"trained model", measured}}).findings,
              Contains("2 of 3 heads can be left out, one at a time, for less than 0.01 nats; head "
                       "1 of decoder.layers.0.cross_attention costs the most, +2.000 nats."));
}

Json data_size_points_of(std::vector<double> transformer, std::vector<double> lstm) {
  Json points = Json::object();
  for (std::size_t i = 0; i < transformer.size(); ++i) {
    const auto point = [&](const char* arch, double bleu) {
      points[fmt::format("{} {}", arch, i)] = {
          {"arch", arch}, {"rate", 2e-3}, {"loss", 1.0}, {"bleu", bleu}, {"pairs", 1000 * (i + 1)}};
    };
    point("transformer", transformer[i]);
    point("lstm with attention", lstm[i]);
  }
  return points;
}

TEST(Findings, DataSizeSaysFromWhichSizeOnTheTransformerIsAhead) {
  const auto finding = [](const Json& points) { return data_size_page(points).findings.at(0); };
  EXPECT_EQ(finding(data_size_points_of({1, 5, 9}, {2, 4, 6})),
            "The Transformer's BLEU is -1.0 from that of the lstm with attention at 1000 pairs and "
            "+3.0 at 3000: it loses on little data and is ahead from 2000 pairs on.");
  EXPECT_THAT(finding(data_size_points_of({3, 5}, {2, 4})), HasSubstr("ahead at every size"));
  EXPECT_THAT(finding(data_size_points_of({3, 4}, {2, 4})), HasSubstr("behind or level"));
}

Json recalled(const char* arch, double far) {
  Json by_distance = Json::object();
  for (const int distance : {1, 2, 4, 8, 16, 24, 32}) {
    by_distance[fmt::format("{}", distance)] = distance > 8 ? far : 1.0;
  }
  return {{"arch", arch},
          {"rate", 2e-3},
          {"loss", 1.0},
          {"recall", by_distance},
          {"gradient", by_distance},
          {"gradient at the start", by_distance}};
}

TEST(Findings, ForgettingComparesTheTransformerWithThePlainLstm) {
  EXPECT_THAT(
      forgetting_page({{"a", recalled("transformer", 0.9)}, {"b", recalled("lstm", 0.2)}}).findings,
      Contains("At a distance of 32 the Transformer names 0.70 of the symbols more than the "
               "lstm without attention."));
  EXPECT_THAT(
      forgetting_page({{"a", recalled("transformer", 0.1)}, {"b", recalled("lstm", 0.2)}}).findings,
      Contains(HasSubstr("names 0.10 of the symbols less than")));
}

}  // namespace
}  // namespace yona
