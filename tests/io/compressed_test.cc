#include "yona/io/compressed.h"

#include <string>

#include <gtest/gtest.h>

#include "yona/data/byte_source.h"

namespace yona {
namespace {

std::string text_in(const std::string& bytes) {
  const auto source = open_bytes(bytes, "test");
  std::string text(1 << 16, '\0');
  text.resize(source->read(text.data(), text.size()));
  return text;
}

TEST(Compressed, PartsOneAfterAnotherAreOneText) {
  for (const char* name : {"a.gz", "b.xz", "c.zst", "d.txt"}) {
    const std::string parts =
        compressed_for(name, "first\n") + compressed_for(name, "") + compressed_for(name, "ende\n");
    EXPECT_EQ(text_in(parts), "first\nende\n") << name;
  }
}

TEST(Compressed, ShrinksTextAndLeavesOtherFilesAlone) {
  const std::string text(10000, 'x');
  for (const char* name : {"a.gz", "b.xz", "c.zst"}) {
    EXPECT_LT(compressed_for(name, text).size(), 500U) << name;
    EXPECT_EQ(compressed_for(name, text), compressed_for(name, text)) << name;
  }
  EXPECT_EQ(compressed_for("a.txt", text), text);
}

}  // namespace
}  // namespace yona
