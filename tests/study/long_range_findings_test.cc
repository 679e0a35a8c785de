#include "yona/study/long_range_findings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/enum_names.h"

namespace yona {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Json long_point(const char* task, const char* attention, int length, double accuracy, double ms) {
  return {{"task", task},  {"attention", attention}, {"length", length},
          {"chance", 0.1}, {"accuracy", accuracy},   {"ms", ms},
          {"mb", ms}};
}

// linformer is slower at 128 tokens, and at 2048 it takes `at_end` of the exact one's 16 ms.
Json long_points(double at_end, double accuracy) {
  return {{"a", long_point("list-ops", "scaled", 128, 0.9, 1)},
          {"b", long_point("list-ops", "linformer", 128, 0.9, 2)},
          {"c", long_point("list-ops", "scaled", 2048, 0.8, 16)},
          {"d", long_point("list-ops", "linformer", 2048, accuracy, 16 * at_end)}};
}

TEST(LongRangeFindings, NameTheLengthFromWhichAnAttentionIsFaster) {
  EXPECT_THAT(
      long_range_findings(long_points(0.5, 0.7)),
      Contains("Compared with exact attention linformer is faster from about n = 510 on "
               "(0.50 of the time at n = 2048); its memory is smaller from about n = 510 on "
               "(0.50 of the memory at n = 2048)."));
  EXPECT_THAT(
      long_range_findings(long_points(1.5, 0.7)),
      Contains(HasSubstr("linformer is not faster at n = 2048, the longest measured (1.50")));
}

TEST(LongRangeFindings, CompareAccuraciesAtTheLongestLength) {
  EXPECT_THAT(long_range_findings(long_points(0.5, 0.7)),
              Contains("list-ops at 2048 tokens: exact attention is right in 0.800 (chance 0.100); "
                       "linformer 0.700. 0 of 1 reach the exact one."));
  EXPECT_THAT(long_range_findings(long_points(0.5, 0.85)),
              Contains(HasSubstr("1 of 1 reach the exact one.")));
  Json untrained{{"a", long_point("recall", "scaled", 64, 0.11, 1)},
                 {"b", long_point("recall", "window", 64, 0.12, 1)}};
  EXPECT_THAT(long_range_findings(untrained),
              Contains(HasSubstr("window 0.120. The exact one is near chance")));
}

TEST(LongRangeFindings, SayThatTheTextIsMissing) {
  const auto about_text = HasSubstr("needs a file of labelled sentences, --text FILE");
  EXPECT_THAT(long_range_findings(long_points(0.5, 0.7)), Contains(about_text));
  Json points = long_points(0.5, 0.7);
  points["e"] = long_point("text", "scaled", 128, 0.5, 1);
  EXPECT_THAT(long_range_findings(points), Not(Contains(about_text)));
}

TEST(LongRangeFindings, EveryAttentionIsComparedOrLeftOutByName) {
  const std::vector<AttentionKind> kinds = long_range_kinds();
  EXPECT_EQ(kinds.front(), AttentionKind::scaled);
  EXPECT_EQ(kinds.size() + left_out_attentions().size(), enum_name_list<AttentionKind>().size());
  for (const LeftOutAttention& left_out : left_out_attentions()) {
    EXPECT_THAT(kinds, Not(Contains(left_out.kind)));
    EXPECT_FALSE(left_out.reason.empty());
  }
}

}  // namespace
}  // namespace yona
