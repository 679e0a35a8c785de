#include "yona/study/study.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/study/studies.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using yona::testing::message_of;
using yona::testing::read_bytes;
using yona::testing::TempDir;

int measurements = 0;
std::atomic<bool> stop_after_first = false;

std::vector<StudyPoint> counted_points(const StudySetting& /*setting*/) {
  const auto measure = [] {
    ++measurements;
    stop_after_first = true;
    Json point = Json::object();
    point["value"] = measurements;
    return point;
  };
  return {{"one", measure}, {"two", measure}};
}

StudyPage counted_page(const Json& points) {
  return {"Counted",
          {fmt::format("{} points", points.size())},
          {{"t", "x", "y", PlotScale::linear, PlotScale::linear, {{"s", {{0, 1}, {1, 2}}}}}},
          {{{"a <b>", "c"}, {{"1", "2"}}}}};
}

constexpr StudyKind kCounted{"counted", "How many?", counted_points, counted_page};

StudyOptions options_in(const TempDir& folder) {
  StudyOptions options;
  options.output = folder.path() / "out";
  options.threads = 1;
  return options;
}

TEST(Study, GoesOnWhereItWasStopped) {
  const TempDir folder;
  StudyOptions options = options_in(folder);
  measurements = 0;
  stop_after_first = false;
  options.stop = &stop_after_first;
  EXPECT_THROW(run_study(kCounted, options), Interrupted);
  EXPECT_EQ(measurements, 1);
  EXPECT_THAT(read_bytes(options.output / "page.html"), HasSubstr("1 points"));
  options.stop = nullptr;
  const Json study = run_study(kCounted, options);
  EXPECT_EQ(measurements, 2);
  EXPECT_EQ(study["points"]["one"]["value"], 1);
  EXPECT_EQ(study["points"]["two"]["value"], 2);
  run_study(kCounted, options);
  EXPECT_EQ(measurements, 2);
  const std::string page = read_bytes(options.output / "page.html");
  EXPECT_THAT(page, HasSubstr("<th>a &lt;b&gt;</th>"));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(read_bytes(options.output / "figure-1.svg"), HasSubstr("</svg>"));
}

TEST(Study, RefusesTheFolderOfAnother) {
  const TempDir folder;
  StudyOptions options = options_in(folder);
  run_study(kCounted, options);
  options.seed = 2;
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_study(kCounted, options); }),
              HasSubstr("seed is 1, not 2; use another folder"));
}

TEST(Study, NamesAreKnown) {
  EXPECT_EQ(study_kind("table1").name, "table1");
  EXPECT_THAT(message_of<InvalidArgument>([] { study_kind("table9"); }),
              HasSubstr("'table9' is not a study; use table1, table2, long-range"));
}

}  // namespace
}  // namespace yona
