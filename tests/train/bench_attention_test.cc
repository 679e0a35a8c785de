#include "yona/train/bench_attention.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

Json bench(std::int64_t length, bool causal = false) {
  return bench_attention(
      {.length = length, .heads = 2, .width = 16, .causal = causal, .steps = 1, .threads = 1});
}

TEST(BenchAttention, MemoryGrowsWithTheLengthAndNotWithItsSquare) {
  const double small = bench(256).at("step_mb").get<double>();
  const double large = bench(1024).at("step_mb").get<double>();
  EXPECT_GT(large, 3.5 * small);
  EXPECT_LT(large, 4.5 * small);
}

TEST(BenchAttention, GivesEveryField) {
  const Json json = bench(64, true);
  EXPECT_EQ(json.at("length"), 64);
  EXPECT_EQ(json.at("causal"), true);
  for (const char* field : {"ms_forward", "ms_backward", "gflops", "step_mb"}) {
    EXPECT_GT(json.at(field).get<double>(), 0.0) << field;
  }
  EXPECT_TRUE(json.contains("resident_mb"));
}

}  // namespace
}  // namespace yona
