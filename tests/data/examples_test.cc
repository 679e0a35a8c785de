#include "yona/data/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

class Numbers : public Examples {
 public:
  explicit Numbers(const std::vector<std::uint64_t>& counts) {
    for (const std::uint64_t count : counts) {
      add_part("part", 1, count, "");
    }
  }
  Lengths lengths(std::uint64_t) const override { return {1}; }
  void fill(std::span<const std::uint32_t>, std::int64_t, const Draw&, Batch&) const override {}
};

TEST(Examples, AreNumberedPartAfterPart) {
  const Numbers numbers({3, 1, 2});
  EXPECT_EQ(numbers.count(), 6U);
  std::vector<std::size_t> parts;
  for (std::uint64_t example = 0; example < numbers.count(); ++example) {
    parts.push_back(numbers.part_of(example));
  }
  EXPECT_THAT(parts, ::testing::ElementsAre(0, 0, 0, 1, 2, 2));
}

TEST(Examples, AreFewerThanBatchPlansCanNumber) {
  EXPECT_THAT(testing::message_of<InvalidArgument>([] {
                Numbers({3, (1ULL << 32U) - 3});
              }),
              ::testing::HasSubstr("4294967296 examples are more than 2^32 - 2"));
}

TEST(Side, CountsRowsOfNumbersByTheirWidth) {
  Side side;
  side.clear();
  side.width = 3;
  side.values.assign(6, 1.0F);
  side.end_example();
  side.values.resize(9);
  side.end_example();
  EXPECT_EQ(side.rows(), 3);
  EXPECT_EQ(side.examples(), 2);
  EXPECT_EQ(side.rows_of(0), 2);
  EXPECT_EQ(side.rows_of(1), 1);
}

}  // namespace
}  // namespace yona
