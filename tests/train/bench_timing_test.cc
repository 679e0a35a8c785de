#include "yona/train/bench_timing.h"

#include <memory>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(BenchTiming, ThePeakOfMemoryCanBeForgotten) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  {
    const auto block = std::make_unique<volatile char[]>(kBytes);
    for (std::size_t i = 0; i < kBytes; i += 512) {
      block[i] = 1;
    }
    EXPECT_GE(resident_memory(), static_cast<std::int64_t>(kBytes));
  }
  EXPECT_GE(peak_memory(), static_cast<std::int64_t>(kBytes));
  if (!forget_peak_memory()) {
    GTEST_SKIP() << "this system does not let a process forget its peak";
  }
  EXPECT_LT(peak_memory() - resident_memory(), static_cast<std::int64_t>(kBytes) / 4);
}

}  // namespace
}  // namespace yona
