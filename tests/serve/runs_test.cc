#include "yona/serve/runs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::run_events;
using serve::run_names;
using serve::run_summary;
using testing::TempDir;
using testing::write_bytes;

constexpr const char* kLog =
    R"({"event":"started","model":"tiny","updates":100}
{"event":"update","update":50,"updates":100,"loss":3.5,"seconds":7.5}
{"event":"valid","update":50,"loss":2.5,"bleu":12.5}
{"event":"valid","update":100,"loss":2.75,"bleu":13}
)";

void write_run(const TempDir& folder, const std::string& name, const std::string& log) {
  std::filesystem::create_directory(folder / name);
  write_bytes(folder / name / "log.jsonl", log);
}

TEST(Runs, AreTheFoldersWithALog) {
  TempDir folder;
  write_run(folder, "b", kLog);
  write_run(folder, "a", "");
  std::filesystem::create_directory(folder / "c");
  EXPECT_EQ(run_names(folder.path()), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(run_names(folder / "none").empty());
}

TEST(Runs, AreListedWithTheOneThatIsRunningFirst) {
  TempDir folder;
  write_run(folder, "a", "{}\n");
  write_run(folder, "b", "");
  EXPECT_EQ(serve::runs_json({folder.path(), "b"}),
            Json::parse(R"({"runs": [{"name": "b", "current": true, "bytes": 0},
                                     {"name": "a", "current": false, "bytes": 3}]})"));
  EXPECT_EQ(serve::runs_json({folder / "none"}), Json::parse(R"({"runs": []})"));
}

TEST(Runs, GiveTheirEventsFromALineOn) {
  TempDir folder;
  write_run(folder, "a", kLog);
  const auto all = run_events(folder / "a", 0, 100);
  EXPECT_EQ(all.events.size(), 4U);
  EXPECT_EQ(all.next, 4);
  EXPECT_EQ(run_events(folder / "a", 3, 100).events.front()["loss"], 2.75);
  EXPECT_TRUE(run_events(folder / "a", 4, 100).events.empty());
  EXPECT_EQ(run_events(folder / "a", 99, 100).next, 4);
  const auto some = run_events(folder / "a", 1, 2);
  EXPECT_EQ(some.events.size(), 2U);
  EXPECT_EQ(some.next, 3);
  EXPECT_TRUE(run_events(folder / "none", 0, 100).events.empty());
}

TEST(Runs, WaitForALineThatIsNotWholeYetAndLeaveOutWhatIsNoJson) {
  TempDir folder;
  write_run(folder, "a", "{\"event\":\"x\"}\nnot json\n[1]\n{\"event\":\"half");
  const auto found = run_events(folder / "a", 0, 100);
  EXPECT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.next, 3);
}

TEST(Runs, AreSummedUp) {
  TempDir folder;
  write_run(folder, "a", kLog);
  auto run = run_summary(folder / "a");
  EXPECT_EQ(run.name, "a");
  EXPECT_EQ(run.model, "tiny");
  EXPECT_EQ(run.state, "running or killed");
  EXPECT_EQ(run.update, 50);
  EXPECT_EQ(run.best_loss, 2.5);
  EXPECT_EQ(run.figures["bleu"], 13);
  write_run(folder, "b",
            std::string(kLog) + R"({"event":"finished","updates":100,"seconds":20})" + "\n");
  run = run_summary(folder / "b");
  EXPECT_EQ(run.state, "finished");
  EXPECT_EQ(run.update, 100);
  EXPECT_EQ(run.seconds, 20);
  write_run(folder, "c",
            R"({"event":"finished","interrupted":true})"
            "\n");
  EXPECT_EQ(run_summary(folder / "c").state, "interrupted");
  EXPECT_TRUE(std::isnan(run_summary(folder / "c").loss));
  write_run(folder, "d", "");
  EXPECT_EQ(run_summary(folder / "d").state, "not begun");
}

TEST(Runs, TakeNoNumberForACountThatIsNone) {
  TempDir folder;
  write_run(folder, "a",
            "{\"event\":\"started\",\"updates\":100}\n"
            "{\"event\":\"update\",\"update\":1e300,\"updates\":-1e300}\n");
  const auto run = run_summary(folder / "a");
  EXPECT_EQ(run.update, 0);
  EXPECT_EQ(run.updates, 100);
}

TEST(Runs, LeaveOutALineThatIsDeeperThanAnyEvent) {
  TempDir folder;
  constexpr std::size_t kDepth = 100'000;  // writing it again would take that many stack frames
  write_run(
      folder, "a",
      "{\"a\":" + std::string(kDepth, '[') + std::string(kDepth, ']') + "}\n{\"event\":\"x\"}\n");
  EXPECT_EQ(run_events(folder / "a", 0, 100).events.size(), 1U);
}

TEST(Runs, SurviveLogsOfOtherTypes) {
  TempDir folder;
  write_run(folder, "a", R"({"event":5}
{"event":"update","loss":"x","update":null}
{"event":"valid","loss":null,"bleu":"y"}
{"event":"finished","interrupted":1}
)");
  EXPECT_NO_THROW(run_summary(folder / "a"));
}

}  // namespace
}  // namespace yona
