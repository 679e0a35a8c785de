#include "yona/io/hf_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::HasSubstr;

template <class Change>
std::string obstacle(Change change) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  change(d);
  return common_obstacle(d);
}

TEST(HfFamily, NothingKeepsThePapersModelOut) {
  EXPECT_EQ(obstacle([](ModelDescription&) {}), "");
}

TEST(HfFamily, SaysWhatKeepsAModelOut) {
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.d_k = 16; }),
            "8 heads of d_k 16 and d_v 64 do not make d_model 512");
  EXPECT_THAT(obstacle([](ModelDescription& d) { d.config.d_v = 16; }), HasSubstr("d_v 16"));
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.attention = AttentionKind::additive; }),
            "attention is additive");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.attention = AttentionKind::unscaled; }),
            "attention is unscaled");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.positions = PositionKind::learned; }),
            "positions are learned");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.positions = PositionKind::none; }),
            "there are no positions");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.position_base = 500; }),
            "the base of the positions is 500 and not 10000");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.config.target_vocabulary = 90; }),
            "source and target have their own vocabularies");
  EXPECT_EQ(obstacle([](ModelDescription& d) { d.shared_vocabulary = false; }),
            "source and target have their own vocabularies");
}

}  // namespace
}  // namespace yona
