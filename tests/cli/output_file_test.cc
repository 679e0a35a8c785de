// What --output may replace, seen from the outside.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/translate_fixture.h"
#include "tests/harness/lm_folder.h"

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

// Other commands than translate, whose --output is a file or a folder.
TEST_F(OutputFile, EveryCommandProtectsWhatBelongsToAModel) {
  const LmFolder lm;
  write_bytes(folder_ / "in.txt", "seven\n");
  write_bytes(folder_ / "in.de", "sieben\n");
  const std::string in = folder_ / "in.txt";
  const std::string encoder = std::string(YONA_FIXTURES) + "/encoders/bert-classes";
  const std::vector<std::string> commands[] = {
      {"attention", "--model", model_->path(), "--source", "seven", "--format", "json"},
      {"generate", "--model", lm.path(), "--prompt", "a", "--max-new", "2"},
      {"generate", "--model", lm.path(), "--input", in, "--max-new", "2"},
      {"embed", "--model", encoder, "--input", in},
      {"parse", "--model", model_->path(), "--input", in}};
  for (const std::vector<std::string>& command : commands) {
    for (const char* name : {"copy/config.json", "copy/model.safetensors"}) {
      const std::string path = folder_ / name;
      const std::string before = read_bytes(path);
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--threads", "1", "--output", path});
      const ProgramResult result = run_yona(arguments);
      EXPECT_EQ(result.code, 2) << command.front() << ": " << result.err;
      EXPECT_THAT(result.err, HasSubstr("--output: " + path + " is a file of a model"));
      EXPECT_TRUE(read_bytes(path) == before) << command.front() << " " << name;
    }
  }
}

TEST_F(OutputFile, NoCommandMakesAModelWhereAnotherIs) {
  write_bytes(folder_ / "in.txt", "seven\n");
  const std::string in = folder_ / "in.txt";
  const std::vector<std::string> commands[] = {
      {"average", "--run", model_->path()},
      {"vocab", "--train-src", in, "--train-tgt", in, "--vocab-size", "300"}};
  std::filesystem::create_directory(folder_ / "hub");  // without vocab.json
  write_bytes(folder_ / "hub/config.json", R"({"model_type": "t5"})");
  write_bytes(folder_ / "hub/model.safetensors", "x");
  for (const std::vector<std::string>& command : commands) {
    for (const char* name : {"copy", "hub"}) {
      const std::string before = read_bytes(folder_ / name / "config.json");
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--output", folder_ / name});
      const ProgramResult result = run_yona(arguments);
      EXPECT_EQ(result.code, 2) << command.front() << ": " << result.err;
      EXPECT_THAT(result.err, HasSubstr(" holds a ")) << command.front();
      EXPECT_EQ(read_bytes(folder_ / name / "config.json"), before);
    }
  }
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
