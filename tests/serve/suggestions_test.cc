#include "yona/serve/suggestions.h"

#include <gtest/gtest.h>

#include "yona/serve/http.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::Suggestions;
using testing::TempDir;

TEST(Suggestions, AreLinesOfJsonBehindWhatWasThere) {
  TempDir folder;
  testing::write_bytes(folder / "file", "before\n");
  Suggestions suggestions(folder / "file");
  suggestions.add({.text = "two\n\"dogs\"", .translation = "zwei", .source = "en", .target = "de"});
  suggestions.add({.text = "ä", .translation = "b", .source = "de", .target = "en"});
  EXPECT_EQ(testing::read_bytes(folder / "file"),
            "before\n"
            R"({"q":"two\n\"dogs\"","s":"zwei","source":"en","target":"de"})"
            "\n"
            R"({"q":"ä","s":"b","source":"de","target":"en"})"
            "\n");
}

TEST(Suggestions, DoNotFillTheDisk) {
  TempDir folder;
  Suggestions suggestions(folder / "file", 100);
  suggestions.add({.text = "a", .translation = "b", .source = "en", .target = "de"});
  suggestions.add({.text = "a", .translation = "b", .source = "en", .target = "de"});
  EXPECT_EQ(testing::message_of<serve::HttpError>([&] {
              suggestions.add({.text = "a", .translation = "b", .source = "en", .target = "de"});
            }),
            "the file of suggestions is full");
  EXPECT_LE(testing::read_bytes(folder / "file").size(), 100U);
}

TEST(Suggestions, SayWhereTheyCannotBeWritten) {
  TempDir folder;
  EXPECT_NE(testing::message_of<IoError>([&] {
              Suggestions(folder / "none" / "file");
            }).find("cannot be written to"),
            std::string::npos);
}

}  // namespace
}  // namespace yona
