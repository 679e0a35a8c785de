#include "yona/data/images/late_pictures.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

// Picture i is of bytes 10 · i.
class CountedPictures : public LatePictures {
 public:
  void read(std::uint64_t i, std::uint8_t* to) const override {
    check(i != 7, "picture 7 is lost");
    std::fill_n(to, 4, static_cast<std::uint8_t>(10 * i));
  }
};

LabelledImages ten_pictures(std::vector<std::uint8_t> kept) {
  LabelledImages images{"x", {2, 2, 1}, std::move(kept), std::vector<std::int32_t>(10)};
  images.late = std::make_shared<CountedPictures>();
  return images;
}

TEST(LatePictures, ABatchHasThoseOfMemoryAndTheOthers) {
  const LabelledImages images = ten_pictures({1, 1, 1, 1, 2, 2, 2, 2});
  ThreadPool pool(2);
  for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
    PictureBatch batch(images.shape, threads);
    for (int round = 0; round < 2; ++round) {
      batch.clear();
      for (const std::uint64_t i : {9U, 1U, 3U, 9U}) {
        batch.add(images, i);
      }
      batch.read();
      EXPECT_EQ(batch.pixels(0)[3], 90);
      EXPECT_EQ(batch.pixels(1)[0], 2);
      EXPECT_EQ(batch.pixels(2)[0], 30);
      EXPECT_EQ(batch.pixels(3)[0], 90);
    }
    batch.add(images, 7);
    EXPECT_EQ(message_of<InvalidArgument>([&] { batch.read(); }), "picture 7 is lost");
  }
}

}  // namespace
}  // namespace yona::testing
