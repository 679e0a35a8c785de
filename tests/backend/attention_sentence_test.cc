#include "yona/backend/attention_sentence.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

std::vector<std::int64_t> visible(std::int64_t queries, std::int64_t keys, Mask mask,
                                  std::int64_t prefix = 0) {
  const std::int64_t q_offsets[]{3, 3 + queries};
  const std::int64_t k_offsets[]{5, 5 + keys};
  const AttentionSentence sentence({.q_offsets = q_offsets,
                                    .k_offsets = k_offsets,
                                    .sentences = 1,
                                    .mask = mask,
                                    .prefix = &prefix},
                                   0);
  EXPECT_EQ(sentence.first_query, 3);
  EXPECT_EQ(sentence.first_key, 5);
  std::vector<std::int64_t> seen;
  for (std::int64_t i = 0; i < sentence.queries; ++i) {
    seen.push_back(sentence.visible(i));
  }
  return seen;
}

using Seen = std::vector<std::int64_t>;

TEST(AttentionSentence, ShowsEverythingWithoutAMask) {
  EXPECT_EQ(visible(3, 4, Mask::none), (Seen{4, 4, 4}));
  EXPECT_EQ(visible(2, 0, Mask::none), (Seen{0, 0}));
}

TEST(AttentionSentence, ShowsThePastAndItselfWhenCausal) {
  EXPECT_EQ(visible(3, 3, Mask::causal), (Seen{1, 2, 3}));
  EXPECT_EQ(visible(2, 5, Mask::causal), (Seen{4, 5}));  // the last query is the last key
  EXPECT_EQ(visible(4, 2, Mask::causal), (Seen{0, 0, 1, 2}));
  EXPECT_EQ(visible(1, 1, Mask::causal), (Seen{1}));
}

TEST(AttentionSentence, ShowsThePrefixToAll) {
  EXPECT_EQ(visible(4, 4, Mask::prefix, 2), (Seen{2, 2, 3, 4}));
  EXPECT_EQ(visible(3, 3, Mask::prefix, 0), (Seen{1, 2, 3}));
  EXPECT_EQ(visible(3, 3, Mask::prefix, 99), (Seen{3, 3, 3}));
  EXPECT_EQ(visible(3, 3, Mask::prefix, -1), (Seen{1, 2, 3}));
}

}  // namespace
}  // namespace yona::testing
