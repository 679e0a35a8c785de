#include "yona/serve/pages.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeExchange;

std::shared_ptr<FakeExchange> ask_page(const std::string& path,
                                       const std::filesystem::path& folder = "") {
  serve::Router router;
  router.add(serve::page_routes(folder));
  auto exchange = std::make_shared<FakeExchange>(serve::HttpRequest{.method = "GET", .path = path});
  router.handle(exchange);
  return exchange;
}

TEST(Pages, AreInTheProgramAsTheyAreInTheSources) {
  ASSERT_FALSE(serve::page_files().empty());
  for (const serve::PageFile& file : serve::page_files()) {
    const bool is_shared = file.name.starts_with("attention_view.");
    const std::filesystem::path path = std::filesystem::path(YONA_SOURCE_DIR) / "yona" /
                                       (is_shared ? "inspect" : "serve/page") / file.name;
    EXPECT_EQ(file.content, testing::read_bytes(path)) << file.name;
    EXPECT_EQ(ask_page("/page/" + std::string(file.name))->response.body, file.content);
  }
}

TEST(Pages, LoadNothingFromElsewhere) {
  const auto answer = ask_page("/");
  EXPECT_EQ(answer->response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(answer->response.headers.front().first, "Content-Security-Policy");
  EXPECT_TRUE(answer->response.headers.front().second.starts_with("default-src 'self'"));
}

TEST(Pages, AreReadFromAFolderWhereAsked) {
  testing::TempDir folder;
  testing::write_bytes(folder / "index.html", "mine");
  testing::write_bytes(folder / "a.js", "script");
  EXPECT_EQ(ask_page("/", folder.path())->response.body, "mine");
  EXPECT_EQ(ask_page("/page/a.js", folder.path())->response.content_type,
            "text/javascript; charset=utf-8");
  testing::write_bytes(folder / "index.html", "changed");
  EXPECT_EQ(ask_page("/", folder.path())->response.body, "changed");
}

TEST(Pages, LeadNowhereElse) {
  testing::TempDir folder;
  std::filesystem::create_directory(folder / "inner");
  testing::write_bytes(folder / "secret", "x");
  for (const std::string name :
       {"../secret", "..", ".", "", "/etc/passwd", "a/../../secret", "..\\secret", "none"}) {
    EXPECT_EQ(ask_page("/page/" + name, folder / "inner")->response.status, 404) << name;
    EXPECT_EQ(ask_page("/page/" + name)->response.status, 404) << name;
  }
}

}  // namespace
}  // namespace yona
