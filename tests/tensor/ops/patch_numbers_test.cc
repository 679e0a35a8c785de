#include "yona/tensor/ops/patch_numbers.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/images/patches.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct Mixed {
  ImageChange change{}, other{};
  float share = 1.0F;
};

// Pictures of random bytes with their changes, and the patches that PatchMaker makes of them.
struct PatchCase {
  PatchCase(const PatchGrid& grid, const std::vector<Mixed>& pictures, bool mixes)
      : maker(grid, {.mean = {0.5, 0.4, 0.3}, .deviation = {0.2, 0.3, 0.4}}) {
    const std::vector<double> random = random_values(grid.image.elements(), 3, 0, 256);
    std::vector<std::uint8_t> pixels(random.begin(), random.end());
    for (const Mixed& picture : pictures) {
      maker.append_bytes(pixels.data(), picture.change, bytes);
      std::vector<float> mine;
      maker.append(pixels.data(), picture.change, mine);
      changes.push_back(picture.share);
      for (const ImageChange& change : {picture.change, picture.other}) {
        for (const std::int64_t number : {change.top, change.left, change.height, change.width}) {
          changes.push_back(static_cast<float>(number));
        }
      }
      std::reverse(pixels.begin(), pixels.end());
      if (mixes) {
        maker.append_bytes(pixels.data(), picture.other, other);
        std::vector<float> second;
        maker.append(pixels.data(), picture.other, second);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          mine[i] = picture.share * mine[i] + (1.0F - picture.share) * second[i];
        }
      }
      expected.insert(expected.end(), mine.begin(), mine.end());
    }
  }
  std::vector<float> made(Context& c) const {
    const PatchGrid& grid = maker.grid();
    return patch_numbers({.bytes = bytes,
                          .other = other,
                          .changes = changes,
                          .table = maker.table(),
                          .patch = grid.patch,
                          .stride = grid.stride,
                          .patch_rows = grid.rows(),
                          .patch_cols = grid.columns()},
                         c)
        .to_vector<float>();
  }
  PatchMaker maker;
  std::vector<std::uint8_t> bytes{}, other{};
  std::vector<float> changes{}, expected{};
};

TEST(PatchNumbers, AreThoseOfThePatchMakerInEveryBitOnEveryBackend) {
  const std::vector<Mixed> pictures{
      {},
      {.change = {.down = 2, .right = -1, .mirrored = true}, .share = 0.75F},
      {.change = {.top = 1, .left = 2, .height = 3, .width = 4},
       .other = {.mirrored = true, .top = 5, .left = 0, .height = 2, .width = 9},
       .share = 0.6F}};
  for (const char* name : {"reference", "cpu", "cuda"}) {
    if (std::string_view(name) == "cuda" && !has_cuda()) {
      continue;
    }
    Region region(shared_backend(name), std::int64_t{1} << 26U);
    Context c{.region = region};
    for (const PatchGrid& grid : {PatchGrid{{16, 24, 3}, 8, 8}, PatchGrid{{9, 11, 3}, 3, 2}}) {
      for (const bool mixes : {false, true}) {
        SCOPED_TRACE(::testing::Message() << name << " " << grid.patch << " " << mixes);
        const PatchCase made(grid, pictures, mixes);
        EXPECT_EQ(made.made(c), made.expected);
      }
    }
  }
}

TEST(PatchNumbers, AreOfWholePicturesWithTheirChanges) {
  Region region(shared_backend("cpu"), std::int64_t{1} << 20U);
  Context c{.region = region};
  PatchCase one({{8, 8, 3}, 8, 8}, {{}}, false);
  one.bytes.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { one.made(c); }),
              ::testing::HasSubstr("191 bytes are not whole pictures of 1 patches with 192 bytes"));
  PatchCase two({{8, 8, 3}, 8, 8}, {{}}, false);
  two.changes.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { two.made(c); }),
              ::testing::HasSubstr("8 numbers describe the changes of 1 pictures"));
  PatchCase three({{8, 8, 3}, 8, 8}, {{}}, true);
  three.other.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { three.made(c); }),
              ::testing::HasSubstr("191 bytes to be mixed with 192"));
}

}  // namespace
}  // namespace yona::testing
