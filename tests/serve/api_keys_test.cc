#include "yona/serve/api_keys.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::ApiKeys;
using serve::HttpError;
using serve::RateLimit;
using testing::message_of;
using testing::TempDir;
using testing::write_bytes;

int status_of_admission(ApiKeys& keys, const std::string& key, std::int64_t characters = 1,
                        const std::string& client = "1.1.1.1") {
  try {
    keys.admit(key, client, characters);
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status == 429, error.retry_after > 0);
    return error.status;
  }
  return 200;
}

TEST(RateLimit, HoldsAMinutesWorthAndFillsEvenly) {
  RateLimit limit(60);
  const Clock::time_point start{};
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(limit.take(1, start), 0);
  }
  EXPECT_DOUBLE_EQ(limit.take(1, start), 1.0);
  EXPECT_EQ(limit.take(1, start + std::chrono::seconds(1)), 0);
  EXPECT_GT(limit.take(1, start + std::chrono::seconds(1)), 0);
  EXPECT_EQ(limit.take(60, start + std::chrono::hours(1)), 0);
}

// Waiting would not help.
TEST(ApiKeys, RefuseMoreThanAMinutesCharactersForGood) {
  TempDir folder;
  write_bytes(folder / "keys.json", R"({"keys": [{"key": "a", "characters_per_minute": 10}]})");
  ApiKeys keys(folder / "keys.json");
  EXPECT_EQ(status_of_admission(keys, "a", 11), 413);
  EXPECT_EQ(status_of_admission(keys, "a", 10), 200);  // nothing was taken
  EXPECT_EQ(status_of_admission(keys, "a", 10), 429);
  EXPECT_EQ(message_of<HttpError>([&] { keys.admit("a", "", 11); }),
            "the request has 11 characters; 10 in a minute are allowed; send it in parts");
  EXPECT_EQ(message_of<HttpError>([&] { keys.admit("a", "", 10); }),
            "too many characters in a minute; try again in 60 s");
}

TEST(ApiKeys, AreRequiredWhereThereAreNoAnonymousRequests) {
  TempDir folder;
  EXPECT_FALSE(ApiKeys().are_used());
  EXPECT_FALSE(ApiKeys().are_required());
  write_bytes(folder / "keys.json", R"({"keys": []})");
  EXPECT_TRUE(ApiKeys(folder / "keys.json").are_required());
  write_bytes(folder / "keys.json", R"({"keys": [], "anonymous": {}})");
  EXPECT_TRUE(ApiKeys(folder / "keys.json").are_used());
  EXPECT_FALSE(ApiKeys(folder / "keys.json").are_required());
}

TEST(ApiKeys, WithoutAFileEverybodyMay) {
  ApiKeys keys;
  EXPECT_EQ(status_of_admission(keys, ""), 200);
  EXPECT_EQ(status_of_admission(keys, "whatever"), 200);
  keys.reload();
}

TEST(ApiKeys, KnowWhoMayAndHowOften) {
  TempDir folder;
  write_bytes(folder / "keys.json",
              R"({"keys": [{"key": "a", "requests_per_minute": 2},
                           {"key": "b", "name": "mobile", "characters_per_minute": 10},
                           {"key": "c"}]})");
  ApiKeys keys(folder / "keys.json");
  EXPECT_EQ(status_of_admission(keys, ""), 403);
  EXPECT_EQ(status_of_admission(keys, "d"), 403);
  EXPECT_EQ(status_of_admission(keys, "a"), 200);
  EXPECT_EQ(status_of_admission(keys, "a"), 200);
  EXPECT_EQ(status_of_admission(keys, "a"), 429);
  EXPECT_EQ(status_of_admission(keys, "b", 9), 200);
  EXPECT_EQ(status_of_admission(keys, "b", 9), 429);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(status_of_admission(keys, "c", 1000), 200);
  }
}

TEST(ApiKeys, LimitThoseWithoutAKeyByAddress) {
  TempDir folder;
  write_bytes(folder / "keys.json", R"({"keys": [], "anonymous": {"requests_per_minute": 1}})");
  ApiKeys keys(folder / "keys.json");
  EXPECT_EQ(status_of_admission(keys, "", 1, "1.1.1.1"), 200);
  EXPECT_EQ(status_of_admission(keys, "", 1, "1.1.1.1"), 429);
  EXPECT_EQ(status_of_admission(keys, "", 1, "2.2.2.2"), 200);
}

TEST(ApiKeys, AreReadAnew) {
  TempDir folder;
  write_bytes(folder / "keys.json", R"({"keys": [{"key": "a"}]})");
  ApiKeys keys(folder / "keys.json");
  write_bytes(folder / "keys.json", R"({"keys": [{"key": "b"}]})");
  keys.reload();
  EXPECT_EQ(status_of_admission(keys, "a"), 403);
  EXPECT_EQ(status_of_admission(keys, "b"), 200);
  write_bytes(folder / "keys.json", "{");
  EXPECT_THROW(keys.reload(), FormatError);
  EXPECT_EQ(status_of_admission(keys, "b"), 200);
}

TEST(ApiKeys, SayWhatIsWrongWithTheirFile) {
  TempDir folder;
  const auto message = [&](const char* text) {
    write_bytes(folder / "keys.json", text);
    const std::string said = message_of<FormatError>([&] { ApiKeys keys(folder / "keys.json"); });
    return said.substr(std::min(said.size(), said.find("keys.json") + 9));
  };
  EXPECT_EQ(message("[]"), ": expected an object with \"keys\"");
  EXPECT_EQ(message("{}"), ": \"keys\": expected a list of objects with \"key\"");
  EXPECT_EQ(message(R"({"keys": [1]})"), ": key 1: expected an object");
  EXPECT_EQ(message(R"({"keys": [{}]})"), ": key 1: \"key\": expected a text");
  EXPECT_EQ(message(R"({"keys": [{"key": ""}]})"),
            ": key 1: \"key\": expected a text that is not empty");
  EXPECT_EQ(message(R"({"keys": [{"key": "a"}, {"key": "a"}]})"),
            ": key 2: the key is there already");
  EXPECT_EQ(message(R"({"keys": [{"key": "a", "requests_per_minute": 0}]})"),
            ": key 1: \"requests_per_minute\": expected a number of at least 1");
  EXPECT_EQ(message(R"({"keys": [], "anonymous": 3})"),
            ": \"anonymous\": expected an object with limits");
  EXPECT_THROW(ApiKeys keys(folder / "none.json"), IoError);
}

TEST(ApiKeys, AreFoundInHeadersOrTheField) {
  EXPECT_EQ(serve::key_of({.method = "", .path = "", .api_key = "x"}, "field"), "x");
  EXPECT_EQ(serve::key_of({.method = "", .path = "", .authorization = "Bearer y"}, "field"), "y");
  EXPECT_EQ(serve::key_of({.method = "", .path = "", .authorization = "Basic z"}, "field"),
            "field");
  EXPECT_EQ(serve::key_of({.method = "", .path = ""}, "field"), "field");
}

}  // namespace
}  // namespace yona
