#include "yona/serve/engine/folder_look.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona::serve {
namespace {

using yona::testing::TempDir;
using yona::testing::write_bytes;

TEST(FolderLook, ChangesWithTheFilesThatLoadingReads) {
  const TempDir folder;
  const FolderLook empty = look_at(folder.path());
  EXPECT_TRUE(empty.signature.empty());
  EXPECT_TRUE(empty.is_at_rest(""));
  write_bytes(folder / "notes.txt", "mine");
  EXPECT_EQ(look_at(folder.path()).signature, empty.signature);
  write_bytes(folder / "config.json", "{}");
  const FolderLook first = look_at(folder.path());
  EXPECT_NE(first.signature, empty.signature);
  EXPECT_TRUE(first.is_at_rest(first.signature));
  write_bytes(folder / "config.json", "{ }");
  EXPECT_NE(look_at(folder.path()).signature, first.signature);
}

TEST(FolderLook, IsAtRestASecondAfterTheLastChange) {
  EXPECT_FALSE((FolderLook{"b", 0.5}).is_at_rest("a"));
  EXPECT_TRUE((FolderLook{"b", 1.5}).is_at_rest("a"));
  EXPECT_TRUE((FolderLook{"b", 0.5}).is_at_rest("b"));
  EXPECT_TRUE((FolderLook{"b", -3}).is_at_rest("a"));  // another clock
}

}  // namespace
}  // namespace yona::serve
