#include "yona/cli/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::cli {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::write_bytes;

TEST(OutputFile, WhatBelongsToAModelIsProtected) {
  const testing::TempDir folder;
  for (const char* name : {"config.json", "model.safetensors", "source.spm", "vocab.json",
                           "model.int8.safetensors", "tokenizer.json"}) {
    write_bytes(folder / name, "{}");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { protect_model_files("--output", entry.path()); }),
                HasSubstr("is a file of a model, which would be lost; name another"))
        << entry.path();
  }
}

TEST(OutputFile, OtherFilesMayBeReplaced) {
  const testing::TempDir folder;
  write_bytes(folder / "news.de", "x");
  write_bytes(folder / "config.json", "{}");  // of a model, for all that is known
  protect_model_files("--output", folder / "news.de");
  protect_model_files("--output", folder / "none.safetensors");
  protect_model_files("--output", "/dev/null");
  protect_model_files("--output", "-");
  const testing::TempDir other;
  write_bytes(other / "vocab.json", "{}");  // no model is there
  protect_model_files("--output", other / "vocab.json");
}

}  // namespace
}  // namespace yona::cli
