// What --output may replace, seen from the outside.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class OutputFile : public Translate {
 protected:
  OutputFile() {
    std::filesystem::copy(model_->path(), folder_ / "copy",
                          std::filesystem::copy_options::recursive);
  }
  ProgramResult to(const std::filesystem::path& path) { return translate(line(0), {"-o", path}); }
};

TEST_F(OutputFile, WhatBelongsToAModelIsProtected) {
  write_bytes(folder_ / "copy/model.int8.safetensors", "x");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "copy")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.starts_with('.') || name == "init.txt") {
      continue;
    }
    ++files;
    const std::string before = read_bytes(entry.path());
    const ProgramResult result = to(entry.path());
    EXPECT_EQ(result.code, 2) << name;
    EXPECT_EQ(result.err, "yona: --output: " + entry.path().string() +
                              " is a file of a model, which would be lost; name another\n");
    EXPECT_EQ(read_bytes(entry.path()), before) << name;
  }
  EXPECT_GE(files, 6);
}

TEST_F(OutputFile, OtherFilesMayBeReplaced) {
  write_bytes(folder_ / "copy/news.de", "x");
  write_bytes(folder_ / "vocab.json", "{}");  // no model is there
  for (const char* name : {"copy/news.de", "vocab.json", "new.txt"}) {
    EXPECT_EQ(to(folder_ / name).code, 0) << name;
  }
  EXPECT_EQ(to("/dev/null").code, 0);
}

}  // namespace
}  // namespace yona::testing
