#include "yona/score/label_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> labels_of(std::vector<std::string> lines, LabelSide side,
                                   const std::string& column = "") {
  return label_segments({"file", std::move(lines)}, side, column).lines;
}

TEST(LabelSegments, AreLinesOrAColumn) {
  EXPECT_THAT(labels_of({"1", "0"}, LabelSide::references), ElementsAre("1", "0"));
  EXPECT_THAT(labels_of({"1\tgood", "0\tbad"}, LabelSide::references), ElementsAre("1", "0"));
  EXPECT_THAT(labels_of({"good\t1", "bad\t0"}, LabelSide::references, "2"), ElementsAre("1", "0"));
  EXPECT_THAT(labels_of({"text\tstars", "fine\t3.5"}, LabelSide::references, "stars"),
              ElementsAre("3.5"));
}

TEST(LabelSegments, OfAReferenceAreUnderTheNameLabel) {
  EXPECT_THAT(labels_of({"sentence\tlabel", "good\t1"}, LabelSide::references), ElementsAre("1"));
  EXPECT_THAT(labels_of({"label\t0.9", "other\t0.8"}, LabelSide::predictions),
              ElementsAre("label", "other"))
      << "a class may have that name";
}

TEST(LabelSegments, OfPredictionsAreWhatClassifyWrites) {
  EXPECT_THAT(labels_of({"pos\t0.91", "neg\t0.6"}, LabelSide::predictions),
              ElementsAre("pos", "neg"));
  EXPECT_THAT(
      labels_of({R"({"label":"pos","score":0.9})", R"({"label":"neg"})"}, LabelSide::predictions),
      ElementsAre("pos", "neg"));
  EXPECT_THAT(labels_of({R"({"value":2.5,"tokens":3})"}, LabelSide::predictions),
              ElementsAre("2.5"));
}

TEST(LabelSegments, RefuseWhatIsNotThere) {
  EXPECT_THAT(
      [] {
        labels_of({"1\tx", "0"}, LabelSide::references, "2");
      },
      ThrowsMessage<FormatError>("file:2: has 1 columns, but the label is in column 2"));
  EXPECT_THAT([] { labels_of({"a\tb"}, LabelSide::references, "c"); },
              ThrowsMessage<FormatError>(HasSubstr("file:1: no column is called 'c'")));
  EXPECT_THAT(
      [] {
        labels_of({"1", ""}, LabelSide::references);
      },
      ThrowsMessage<FormatError>(HasSubstr("file:2: the label is empty")));
  EXPECT_THAT(
      [] {
        labels_of({R"({"label":"a"})", "b"}, LabelSide::predictions);
      },
      ThrowsMessage<FormatError>(HasSubstr("file:2: expected a JSON object with label")));
}

}  // namespace
}  // namespace yona
