#include "yona/train/bench_peak.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(BenchPeak, NamesTheFastestProduct) {
  const Json json = bench_peak(Precision::f32, 1, 0.0);
  EXPECT_GT(json.at("gflops").get<double>(), 0.0);
  EXPECT_EQ(json.at("threads"), 1);
  EXPECT_EQ(json.at("dtype"), "float32");
  for (const char* size : {"m", "n", "k"}) {
    EXPECT_GE(json.at(size).get<std::int64_t>(), 512) << size;
  }
}

}  // namespace
}  // namespace yona
