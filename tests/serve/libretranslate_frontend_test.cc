#include "yona/serve/libretranslate_frontend.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;
using testing::TempDir;

TEST(LibreTranslateFrontend, GivesItsSettings) {
  FakeServer server({.characters = 123});
  EXPECT_EQ(server.get("/frontend/settings")->json(),
            Json({{"charLimit", 123},
                  {"frontendTimeout", 500},
                  {"apiKeys", false},
                  {"keyRequired", false},
                  {"suggestions", false},
                  {"filesTranslation", false},
                  {"supportedFilesFormat", Json::array()},
                  {"language",
                   {{"source", {{"code", "en"}, {"name", "English"}}},
                    {"target", {{"code", "de"}, {"name", "German"}}}}}}));
}

TEST(LibreTranslateFrontend, TakesSuggestionsWhereTheyAreOn) {
  TempDir folder;
  serve::Suggestions suggestions(folder / "file");
  FakeServer server({}, &suggestions);
  EXPECT_EQ(server.get("/frontend/settings")->json()["suggestions"], true);
  const Json asked{{"q", "two"}, {"s", "zwei"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(server.post("/suggest", asked)->json(), Json({{"success", true}}));
  EXPECT_EQ(server.post_form("/suggest", "q=a&s=b&source=en&target=de")->response.status, 200);
  EXPECT_EQ(testing::read_bytes(folder / "file"),
            R"({"q":"two","s":"zwei","source":"en","target":"de"})"
            "\n"
            R"({"q":"a","s":"b","source":"en","target":"de"})"
            "\n");
  for (const char* name : {"q", "s", "source", "target"}) {
    Json without = asked;
    without.erase(name);
    EXPECT_EQ(server.post("/suggest", without)->response.status, 400) << name;
    without[name] = "";
    EXPECT_EQ(server.post("/suggest", without)->error(), fmt::format("\"{}\" is empty", name));
  }
}

TEST(LibreTranslateFrontend, RefusesSuggestionsWhereTheyAreOff) {
  FakeServer server;
  const auto answer = server.post("/suggest", {{"q", "two"}});
  EXPECT_EQ(answer->response.status, 403);
  EXPECT_EQ(answer->error(), "suggestions are disabled on this server; --suggestions enables them");
}

TEST(LibreTranslateFrontend, LimitsTheCharactersOfASuggestion) {
  TempDir folder;
  serve::Suggestions suggestions(folder / "file");
  FakeServer server({.characters = 5}, &suggestions);
  const Json asked{{"q", "two"}, {"s", "zwei"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(server.post("/suggest", asked)->response.status, 400);
}

}  // namespace
}  // namespace yona
