#include "yona/tensor/ragged.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Offsets = std::vector<std::int64_t>;
using Ids = std::vector<std::uint64_t>;

class RaggedTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Layout> layout(const Offsets& offsets, const Ids& ids = {}) {
    return make_layout(offsets, ids, region);
  }
  std::string message(const Offsets& offsets, const Ids& ids = {}) {
    return message_of<InvalidArgument>([&] { layout(offsets, ids); });
  }
  static std::vector<std::uint64_t> keys(const Layout& layout, std::int64_t from, std::int64_t to) {
    return {layout.row_keys_data() + from, layout.row_keys_data() + to};
  }

  Region region{shared_backend("reference"), 1 << 20};
};

TEST_F(RaggedTest, KnowsWhereEverySentenceAndTokenIs) {
  const auto made = layout({0, 3, 3, 4});
  EXPECT_EQ(made->sentences, 3);
  EXPECT_EQ(made->tokens, 4);
  EXPECT_EQ(made->longest, 3);
  EXPECT_EQ(made->lengths, length_class(3) | length_class(0) | length_class(1));
  EXPECT_EQ(made->offsets.to_vector<std::int64_t>(), (Offsets{0, 3, 3, 4}));
  EXPECT_EQ(made->positions.to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 2, 0}));
}

TEST_F(RaggedTest, MayHoldNothing) {
  EXPECT_EQ(layout({0})->sentences, 0);
  EXPECT_EQ(layout({0, 0})->tokens, 0);
  EXPECT_EQ(layout({0, 0})->longest, 0);
}

TEST_F(RaggedTest, NamesATokenByItsSentenceAndPositionWhereverItStands) {
  const auto one = layout({0, 2, 5}, {7, 9});
  const auto other = layout({0, 4, 7, 9}, {8, 9, 7});
  EXPECT_EQ(keys(*one, 0, 2), keys(*other, 7, 9));
  EXPECT_EQ(keys(*one, 2, 5), keys(*other, 4, 7));
}

TEST_F(RaggedTest, NamesNoTwoTokensAlike) {
  const auto made = layout({0, 100, 200, 300, 400});
  const std::vector<std::uint64_t> all = keys(*made, 0, 400);
  EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).size(), 400U);
  EXPECT_EQ(all, keys(*layout({0, 100, 200, 300, 400}, {0, 1, 2, 3}), 0, 400));
}

TEST_F(RaggedTest, RefusesOffsetsThatAreNone) {
  EXPECT_EQ(message({}), "layout: offsets must begin with 0");
  EXPECT_EQ(message({1, 2}), "layout: offsets must begin with 0");
  EXPECT_EQ(message({0, 5, 3}), "layout: offsets fall from 5 to 3 at sentence 1");
  EXPECT_EQ(message({0, -1}), "layout: offsets fall from 0 to -1 at sentence 0");
  EXPECT_EQ(message({0, 1, 2}, {4}), "layout: 1 sentence ids for 2 sentences");
}

}  // namespace
}  // namespace yona::testing
