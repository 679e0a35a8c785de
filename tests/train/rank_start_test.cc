#include "yona/train/rank_start.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(RankStart, ComesBackFromItsText) {
  RankStart start{.train = {}, .init = "some/model", .position = {3, 14}, .record = {{"a", 1}}};
  start.train.batch_tokens = 1234;
  start.train.accumulate = 6;
  start.train.seconds = 90;
  start.train.schedule.rate = 0.1 + 0.2;  // every digit
  start.train.freeze = {"encoder.*"};
  start.train.valid_metrics = {"bleu", "chrf"};
  start.train.best_by = "chrf";
  start.train.precision = Precision::bf16;
  start.checkpoint = 40;
  start.passes = 2.5;
  const RankStart back = RankStart::from_text(start.to_text());
  EXPECT_EQ(json_of(back.train), json_of(start.train));
  EXPECT_EQ(back.train.schedule.rate, start.train.schedule.rate);
  EXPECT_EQ(back.checkpoint, start.checkpoint);
  EXPECT_EQ(back.passes, start.passes);
  EXPECT_EQ(back.init, start.init);
  EXPECT_EQ(back.position, start.position);
  EXPECT_EQ(back.record, start.record);
  const RankStart plain = RankStart::from_text(RankStart{.train = {}, .record = {}}.to_text());
  EXPECT_EQ(plain.checkpoint, std::nullopt);
  EXPECT_EQ(plain.passes, std::nullopt);
}

}  // namespace
}  // namespace yona
