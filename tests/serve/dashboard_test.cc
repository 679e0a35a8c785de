#include "yona/serve/dashboard.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/serve/client.h"

namespace yona {
namespace {

using testing::Client;
using testing::TempDir;
using testing::write_bytes;

class DashboardOfTwo : public ::testing::Test {
 protected:
  DashboardOfTwo() {
    for (const char* name : {"a", "b"}) {
      std::filesystem::create_directory(folder_ / name);
      write_bytes(folder_ / name / "log.jsonl",
                  "{\"event\":\"started\"}\n{\"event\":\"update\"}\n");
    }
    dashboard_ = std::make_unique<serve::Dashboard>(serve::RunsPlace{folder_.path(), "b"},
                                                    serve::HttpServerOptions{.port = 0});
  }

  TempDir folder_;
  std::unique_ptr<serve::Dashboard> dashboard_;
};

TEST_F(DashboardOfTwo, ListsRunsTheCurrentOneFirst) {
  EXPECT_EQ(Client(dashboard_->port()).get("/v1/runs").json(),
            Json::parse(R"({"runs": [{"name": "b", "current": true, "bytes": 39},
                                     {"name": "a", "current": false, "bytes": 39}]})"));
}

TEST_F(DashboardOfTwo, TellsThoseWhoWatchUntilItEnds) {
  Client client(dashboard_->port());
  client.send("GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_head().headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(client.read_until("\"current\":true,\"bytes\":39}"));
  write_bytes(folder_ / "b" / "log.jsonl", "{}\n");
  EXPECT_TRUE(client.read_until("\"current\":true,\"bytes\":3}"));
  dashboard_.reset();
  client.read_rest();
  EXPECT_TRUE(client.is_at_end());
}

TEST_F(DashboardOfTwo, AnswersHeadOfTheStreamAtOnce) {
  Client client(dashboard_->port());
  client.send("HEAD /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const testing::Answer head = client.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(client.is_at_end());
}

TEST_F(DashboardOfTwo, GivesEventsFromALineOn) {
  Client client(dashboard_->port());
  EXPECT_EQ(client.get("/v1/runs/a/events").json()["events"].size(), 2U);
  EXPECT_EQ(client.get("/v1/runs/a/events?from=1").json(),
            Json::parse(R"({"events": [{"event": "update"}], "next": 2, "more": false})"));
  EXPECT_EQ(client.get("/v1/runs/a/events?from=-1").status, 400);
  EXPECT_EQ(client.get("/v1/runs/a/events?from=x").status, 400);
}

TEST_F(DashboardOfTwo, LeadsToNoOtherFolder) {
  Client client(dashboard_->port());
  for (const char* name : {"c", "..", "a%2F..%2F..", "", "a/events/.."}) {
    EXPECT_EQ(client.get("/v1/runs/" + std::string(name) + "/events").status, 404) << name;
  }
}

TEST_F(DashboardOfTwo, ServesThePage) {
  Client client(dashboard_->port());
  EXPECT_EQ(client.get("/").headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(client.get("/page/dashboard.js").status, 200);
}

TEST_F(DashboardOfTwo, EndsAtOnceWithAClientConnected) {
  Client client(dashboard_->port());
  EXPECT_EQ(client.get("/v1/runs").status, 200);
  dashboard_.reset();
  EXPECT_TRUE(client.is_at_end());
}

}  // namespace
}  // namespace yona
