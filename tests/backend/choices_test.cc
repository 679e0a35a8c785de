#include "yona/backend/choices.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Choices, AreFoundAgainAndNamedWhenUsed) {
  Choices choices("gpu 1");
  EXPECT_EQ(choices.find("a 1"), std::nullopt);
  EXPECT_EQ(choices.used(), "");
  choices.add("b 2", "beef");
  choices.add("a 1", "cafe");
  EXPECT_EQ(choices.find("a 1"), "cafe");
  EXPECT_EQ(choices.used(), "gpu 1\na 1 = cafe\nb 2 = beef\n");
}

TEST(Choices, StayInTheFileForTheNextRun) {
  const testing::TempDir dir;
  const std::filesystem::path file = dir.path() / "cache" / "yona" / "products.txt";
  {
    Choices first("gpu 1");
    first.keep_in(file);
    first.add("a", "1");
    first.add("b", "2");
  }
  Choices second("gpu 1");
  second.keep_in(file);
  EXPECT_EQ(second.find("b"), "2");
  EXPECT_EQ(second.used(), "gpu 1\nb = 2\n");  // `a` was not asked for
  second.add("c", "3");
  EXPECT_EQ(content_of(file), "gpu 1\na = 1\nb = 2\nc = 3\n");
}

TEST(Choices, OfTwoInAFileTheFirstCounts) {
  const testing::TempDir dir;
  const std::filesystem::path file = dir.path() / "products.txt";
  std::ofstream(file) << "gpu 1\na = 1\na = 2\nb = cut o";
  Choices choices("gpu 1");
  choices.keep_in(file);
  EXPECT_EQ(choices.find("a"), "1");
  EXPECT_EQ(choices.find("b"), std::nullopt);
  choices.add("b", "3");
  EXPECT_EQ(content_of(file), "gpu 1\na = 1\na = 2\nb = 3\n");
}

TEST(Choices, OfAnotherMachineAreNotTaken) {
  const testing::TempDir dir;
  const std::filesystem::path file = dir.path() / "products.txt";
  std::ofstream(file) << "gpu 2\na = 1\n";
  Choices choices("gpu 1");
  choices.keep_in(file);
  EXPECT_EQ(choices.find("a"), std::nullopt);
  EXPECT_FALSE(choices.take("gpu 2\na = 1\n"));
  EXPECT_FALSE(choices.take(""));
  EXPECT_EQ(choices.find("a"), std::nullopt);
  EXPECT_EQ(content_of(file), "gpu 1\n");
}

TEST(Choices, OfACheckpointComeBeforeThoseOfTheFile) {
  const testing::TempDir dir;
  const std::filesystem::path file = dir.path() / "products.txt";
  std::ofstream(file) << "gpu 1\na = 1\n";
  Choices choices("gpu 1");
  choices.keep_in(file);
  EXPECT_TRUE(choices.take("gpu 1\na = 7\nz = 8\n"));
  EXPECT_EQ(choices.find("a"), "7");
  EXPECT_EQ(choices.used(), "gpu 1\na = 7\nz = 8\n");  // z too: the run used it before
}

TEST(Choices, DoWithoutAFileThatCannotBeWritten) {
  Choices choices("gpu 1");
  choices.keep_in("/proc/no/such/folder/products.txt");
  choices.add("a", "1");
  EXPECT_EQ(choices.find("a"), "1");
}

}  // namespace
}  // namespace yona
