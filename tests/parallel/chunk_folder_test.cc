#include "yona/parallel/chunk_folder.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ChunkFolder, JoinsPartsInTheirOrderAndGoes) {
  const testing::TempDir folder;
  const ChunkFolder chunks(folder / "out.txt");
  EXPECT_FALSE(chunks.is_there());
  chunks.begin({{"--beam", "4"}});
  EXPECT_TRUE(chunks.is_there());
  for (const std::uint64_t number : {10U, 9U, 2U}) {
    chunks.write(number, "x");
  }
  EXPECT_EQ(chunks.done(), (std::set<std::uint64_t>{2, 9, 10}));
  chunks.write(0, "a\n");
  chunks.write(1, "");
  chunks.write(2, "c\n");
  chunks.join(3);
  EXPECT_EQ(content(folder / "out.txt"), "a\nc\n");
  EXPECT_FALSE(std::filesystem::exists(chunks.path()));
}

TEST(ChunkFolder, RefusesAnotherJobByName) {
  const testing::TempDir folder;
  const ChunkFolder chunks(folder / "out.txt");
  chunks.begin({{"--beam", "4"}, {"--json", "true"}});
  chunks.begin({{"--beam", "4"}, {"--json", "true"}});
  try {
    chunks.begin({{"--beam", "8"}});
    FAIL() << "other options were taken";
  } catch (const InvalidArgument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("--beam: 4 → 8"), text.npos) << text;
    EXPECT_NE(text.find("--json"), text.npos) << text;
  }
}

TEST(ChunkFolder, RefusesPartsWithoutARecord) {
  const testing::TempDir folder;
  const ChunkFolder chunks(folder / "out.txt");
  chunks.begin({{"--beam", "4"}});
  chunks.write(0, "a\n");
  std::filesystem::remove(chunks.path() / "record.json");
  EXPECT_THROW(chunks.begin({{"--beam", "4"}}), InvalidArgument);
  EXPECT_EQ(chunks.done(), (std::set<std::uint64_t>{0}));
}

TEST(ChunkFolder, AMissingPartLeavesWhatIsThere) {
  const testing::TempDir folder;
  const ChunkFolder chunks(folder / "out.txt");
  chunks.begin({{"--beam", "4"}});
  chunks.write(0, "a\n");
  EXPECT_THROW(chunks.join(2), IoError);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.txt"));
  EXPECT_EQ(chunks.done().size(), 1U);
}

}  // namespace
}  // namespace yona
