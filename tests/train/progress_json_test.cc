#include "yona/train/progress_json.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/harness/temp_dir.h"
#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::plan;
using testing::update;

class JsonLines {
 public:
  JsonReporter::Write writer() {
    return [this](std::string_view line) {
      EXPECT_EQ(line.find('\n'), std::string_view::npos);
      lines.push_back(Json::parse(line));
    };
  }
  std::vector<Json> lines;
};

TEST(JsonReporter, WritesOneObjectForEachEvent) {
  JsonLines out;
  JsonReporter reporter(out.writer(), 2);
  reporter.started(plan());
  reporter.updated(update(1));
  reporter.updated(update(2));
  reporter.validated({.set = "valid", .update = 2, .loss = 1.5});
  reporter.sampled({.update = 2, .samples = {{"a\nb", "c", "d \xff", {{0.25F, 0.3333F}}}}});
  reporter.saved(2, "x/step-2");
  reporter.message(MessageLevel::error, "two\nlines \xff");
  reporter.finished({.updates = 2, .best_loss = std::numeric_limits<double>::quiet_NaN()});
  std::vector<std::string> events;
  for (const Json& line : out.lines) {
    events.push_back(line.at("event"));
  }
  ASSERT_THAT(events,
              ElementsAre("started", "update", "valid", "samples", "saved", "message", "finished"));
  EXPECT_EQ(out.lines[0].at("parameters"), 2100000);
  EXPECT_EQ(out.lines[1].at("update"), 2);
  EXPECT_DOUBLE_EQ(out.lines[1].at("tokens_per_second"), 2000.0);
  EXPECT_DOUBLE_EQ(out.lines[1].at("perplexity"), std::exp(2.0));
  EXPECT_DOUBLE_EQ(out.lines[1].at("seconds_left"), 0.5 * 998);
  EXPECT_EQ(out.lines[2].at("best"), false);
  EXPECT_GT(out.lines[1].at("memory_bytes"), 0);
  EXPECT_EQ(out.lines[3].at("samples")[0].at("source"), "a\nb");
  EXPECT_EQ(out.lines[3].at("samples")[0].at("attention").dump(), "[[0.25,0.333]]");
  EXPECT_EQ(out.lines[5].at("level"), "error");
  EXPECT_TRUE(out.lines[6].at("best_loss").is_null());
}

TEST(JsonReporter, WritesNullForWhatIsNotFiniteAndEverySkippedUpdate) {
  JsonLines out;
  JsonReporter reporter(out.writer(), 100);
  UpdateReport bad = update(7, 0);
  bad.loss = bad.nll = std::numeric_limits<double>::infinity();
  bad.skipped = true;
  reporter.updated(bad);
  ASSERT_EQ(out.lines.size(), 1U);
  EXPECT_TRUE(out.lines[0].at("loss").is_null());
  EXPECT_TRUE(out.lines[0].at("seconds_left").is_null());
  EXPECT_EQ(out.lines[0].at("skipped"), true);
}

TEST(JsonReporter, HasNoFieldThatTheDocumentationLacks) {
  const std::string doc = testing::read_bytes(YONA_SOURCE_DIR "/docs/command-line.md");
  JsonLines out;
  JsonReporter reporter(out.writer(), 1);
  reporter.started(plan());
  reporter.updated(update(1));
  reporter.validated({});
  reporter.sampled({.update = 1, .samples = {{}}});
  reporter.saved(1, "");
  reporter.message(MessageLevel::info, "");
  reporter.finished({});
  for (const Json& line : out.lines) {
    const std::string event = line.at("event");
    const std::size_t begin = doc.find("\n| `" + event + "` |");
    ASSERT_NE(begin, std::string::npos) << event;
    const std::string row = doc.substr(begin + 1, doc.find('\n', begin + 1) - begin);
    for (const auto& [field, value] : line.items()) {
      EXPECT_TRUE(field == "event" || row.find("`" + field + "`") != std::string::npos)
          << event << ": " << field;
    }
  }
}

}  // namespace
}  // namespace yona
