#include "yona/serve/run_watch.h"

#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::RunWatch;
using std::chrono::milliseconds;
using testing::TempDir;
using testing::write_bytes;

// A watching client that keeps what it is told.
class Watching : public serve::Exchange {
 public:
  const serve::HttpRequest& request() const override { return request_; }
  serve::GoneFlag gone() const override { return gone_; }
  void respond(serve::HttpResponse /*response*/) override {}
  void begin_stream(serve::HttpResponse head) override { type_ = head.content_type; }
  void write(TextPieces part) override {
    const std::scoped_lock lock(mutex_);
    parts_.push_back(std::move(part).joined());
  }
  void end_stream() override { has_ended_ = true; }

  const std::string& type() const { return type_; }
  bool has_ended() const { return has_ended_; }
  void leave() { gone_->store(true); }
  // The n-th event, waited for.
  std::string part(std::size_t n) {
    for (int i = 0; i < 4000; ++i) {
      {
        const std::scoped_lock lock(mutex_);
        if (parts_.size() > n) {
          return parts_[n];
        }
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return "";
  }
  std::size_t parts() {
    const std::scoped_lock lock(mutex_);
    return parts_.size();
  }

 private:
  serve::HttpRequest request_;
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  std::vector<std::string> parts_;
  std::string type_;
  std::atomic<bool> has_ended_{false};
};

TEST(RunWatch, TellsWhenARunHasComeOrGrown) {
  TempDir folder;
  std::filesystem::create_directory(folder / "a");
  write_bytes(folder / "a" / "log.jsonl", "{}\n");
  RunWatch watch({folder.path(), "b"}, milliseconds(5));
  const auto client = std::make_shared<Watching>();
  watch.add(client);
  EXPECT_EQ(client->part(0),
            "event: runs\ndata: {\"runs\":[{\"name\":\"a\",\"current\":false,\"bytes\":3}]}\n\n");
  EXPECT_EQ(client->type(), "text/event-stream");
  write_bytes(folder / "a" / "log.jsonl", "{}\n{}\n");
  EXPECT_NE(client->part(1).find("\"bytes\":6"), std::string::npos);
  std::filesystem::create_directory(folder / "b");
  std::filesystem::copy(folder / "a" / "log.jsonl", folder / "b" / "log.jsonl");
  EXPECT_NE(client->part(2).find("{\"name\":\"b\",\"current\":true"), std::string::npos);
}

TEST(RunWatch, SaysNothingTwice) {
  TempDir folder;
  RunWatch watch({folder.path()}, milliseconds(1));
  const auto client = std::make_shared<Watching>();
  watch.add(client);
  EXPECT_EQ(client->part(0), "event: runs\ndata: {\"runs\":[]}\n\n");
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(client->parts(), 1U);
}

TEST(RunWatch, ForgetsThoseWhoHaveGone) {
  TempDir folder;
  RunWatch watch({folder.path()}, milliseconds(1));
  auto client = std::make_shared<Watching>();
  watch.add(client);
  client->part(0);
  client->leave();
  for (int i = 0; i < 4000 && client.use_count() > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(client.use_count(), 1);
}

TEST(RunWatch, EndsItsStreams) {
  TempDir folder;
  RunWatch watch({folder.path()}, milliseconds(60'000));
  const auto before = std::make_shared<Watching>();
  watch.add(before);
  before->part(0);
  watch.end();
  EXPECT_TRUE(before->has_ended());
  const auto after = std::make_shared<Watching>();
  watch.add(after);
  EXPECT_TRUE(after->has_ended());
}

}  // namespace
}  // namespace yona
