#include "yona/serve/metrics.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, CountRequestsByRouteAndStatus) {
  testing::FakeServer server;
  server.get("/health");
  server.get("/health");
  server.get("/nothing");
  server.post("/translate", {{"q", 1}});
  const auto answer = server.get("/metrics");
  EXPECT_EQ(answer->response.content_type, "text/plain; version=0.0.4; charset=utf-8");
  const std::string& text = answer->response.body;
  EXPECT_TRUE(has_line(text, "yona_requests_total{route=\"/health\",status=\"200\"} 2")) << text;
  EXPECT_TRUE(has_line(text, "yona_requests_total{route=\"other\",status=\"404\"} 1"));
  EXPECT_TRUE(has_line(text, "yona_requests_total{route=\"/translate\",status=\"400\"} 1"));
  EXPECT_TRUE(text.ends_with("yona_more 1\n"));
}

TEST(Metrics, SortDurationsIntoBuckets) {
  serve::Metrics metrics;
  for (const double seconds : {0.001, 0.003, 0.7, 100.0}) {
    metrics.count("/x", 200, seconds);
  }
  const std::string text = metrics.text();
  EXPECT_TRUE(has_line(text, "yona_request_seconds_bucket{route=\"/x\",le=\"0.002\"} 1")) << text;
  EXPECT_TRUE(has_line(text, "yona_request_seconds_bucket{route=\"/x\",le=\"0.005\"} 2"));
  EXPECT_TRUE(has_line(text, "yona_request_seconds_bucket{route=\"/x\",le=\"1\"} 3"));
  EXPECT_TRUE(has_line(text, "yona_request_seconds_bucket{route=\"/x\",le=\"+Inf\"} 4"));
  EXPECT_TRUE(has_line(text, "yona_request_seconds_count{route=\"/x\"} 4"));
}

TEST(Metrics, CountAStreamWhenItEnds) {
  testing::FakeServer server;
  server.post("/v1/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}, {"stream", true}});
  EXPECT_TRUE(has_line(server.get("/metrics")->response.body,
                       "yona_requests_total{route=\"/v1/translate\",status=\"200\"} 1"));
}

}  // namespace
}  // namespace yona
