#include "yona/serve/gzip_body.h"

#include <gtest/gtest.h>

#include "yona/serve/http.h"

#include "tests/data/compress.h"

namespace yona {
namespace {

using serve::gunzipped;

int gzip_status(const std::string& packed, std::size_t most) {
  try {
    gunzipped(packed, most);
  } catch (const serve::HttpError& error) {
    return error.status;
  }
  return 200;
}

TEST(GzipBody, IsWhatWasCompressed) {
  for (const std::size_t size : {0, 1, 100, 65535, 65536, 65537, 300'000}) {
    std::string plain(size, 'x');
    for (std::size_t i = 0; i < size; i += 7) {
      plain[i] = static_cast<char>(i * i);
    }
    EXPECT_EQ(gunzipped(testing::gzip(plain), size), plain) << size;
  }
  EXPECT_EQ(gunzipped(testing::gzip("one, ") + testing::gzip("") + testing::gzip("two"), 100),
            "one, two");
}

TEST(GzipBody, StopsAtTheLimit) {
  const std::string bomb = testing::gzip(std::string(100 << 20, 'x'));
  EXPECT_LT(bomb.size(), 1U << 20);
  EXPECT_EQ(gzip_status(bomb, 1000), 413);
  // The damage behind the limit is not seen: no more was decompressed.
  EXPECT_EQ(gzip_status(bomb.substr(0, 5000) + "damage", 1000), 413);
  EXPECT_EQ(gzip_status(testing::gzip(std::string(1000, 'x')), 999), 413);
  EXPECT_EQ(gzip_status(testing::gzip(std::string(1000, 'x')), 1000), 200);
}

TEST(GzipBody, RefusesWhatIsDamagedOrCutShort) {
  const std::string packed = testing::gzip("some text, and some text again");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(gzip_status(packed.substr(0, size), 1000), 400) << size;
  }
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;  // of the checksum
  EXPECT_EQ(gzip_status(damaged, 1000), 400);
  EXPECT_EQ(gzip_status(packed + "x", 1000), 400);
  EXPECT_EQ(gzip_status("plain text", 1000), 400);
}

}  // namespace
}  // namespace yona
