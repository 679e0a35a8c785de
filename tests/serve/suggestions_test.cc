#include "yona/serve/suggestions.h"

#include <csignal>
#include <sys/resource.h>

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

// No file of this process becomes larger meanwhile: a write beyond it is short, then fails.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    before_signal_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*before_signal_)(int) = nullptr;
};

TEST(Suggestions, AreThereAsAWholeOrNotAtAll) {
  TempDir folder;
  Suggestions suggestions(folder / "file");
  const serve::Suggestion one{.text = "a", .translation = "b", .source = "en", .target = "de"};
  suggestions.add(one);
  const std::string before = testing::read_bytes(folder / "file");
  {
    const FileSizeLimit limit(before.size() + 10);
    EXPECT_THROW(suggestions.add(one), IoError);
  }
  EXPECT_EQ(testing::read_bytes(folder / "file"), before);
  suggestions.add(one);
  EXPECT_EQ(testing::read_bytes(folder / "file"), before + before);
}

TEST(Suggestions, BeginALineBehindOneThatWasCut) {
  TempDir folder;
  testing::write_bytes(folder / "file", "{\"q\":\"a\",");
  Suggestions suggestions(folder / "file");
  EXPECT_EQ(testing::read_bytes(folder / "file"), "{\"q\":\"a\",");
  suggestions.add({.text = "a", .translation = "b", .source = "en", .target = "de"});
  EXPECT_EQ(testing::read_bytes(folder / "file"),
            "{\"q\":\"a\",\n"
            R"({"q":"a","s":"b","source":"en","target":"de"})"
            "\n");
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
