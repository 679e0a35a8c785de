#include "yona/text/tokenizer/split_segmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

// The length of what it is given.
class Lengths : public Segmenter {
 public:
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    ids.push_back(static_cast<std::int32_t>(text.size()));
  }
  std::string decode(std::span<const std::int32_t>) const override { return ""; }
};

std::vector<std::int32_t> encoded(const SplitSteps& steps, std::string_view text) {
  std::vector<std::int32_t> ids;
  SplitSegmenter(steps, std::make_shared<const Lengths>()).encode(text, ids);
  return ids;
}

TEST(SplitSegmenter, GivesWordsToTheNext) {
  const SplitSteps steps{.pattern = std::make_shared<const SplitPattern>("[a-z]+", "test")};
  EXPECT_THAT(encoded(steps, "one  three!"), ElementsAre(3, 2, 5, 1));
  EXPECT_THAT(encoded({}, "one  three!"), ElementsAre(11));
}

TEST(SplitSegmenter, ComposesCharacters) {
  EXPECT_EQ(composed("cafe\u0301"), "caf\u00e9");
  EXPECT_THAT(encoded({.composes = true}, "e\u0301"), ElementsAre(2));
}

}  // namespace
}  // namespace yona::testing
