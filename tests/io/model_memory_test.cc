// Models that do not fit into a control group's memory, with limits that are given: what the
// loaders do in a real group is in tests/cli/memory_limit_test.cc.
#include "yona/io/model_memory.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kMega = 1'000'000;
constexpr std::int64_t kBatch = 32 << 20;  // for one sentence

std::string refused_below(std::int64_t limit, const ModelMemory& memory) {
  return message_of<DeviceError>([&] {
    check_model_memory("big", memory, {limit, "memory.max"}, 20 * kMega);
  });
}

TEST(ModelMemory, FitsUpToTheLimit) {
  const ModelMemory memory{.weights = 100 * kMega};
  EXPECT_NO_THROW(check_model_memory("big", memory, {120 * kMega + kBatch, "x"}, 20 * kMega));
  EXPECT_EQ(refused_below(120 * kMega + kBatch - 1, memory),
            "big: about 154 MB of memory are needed, the limit (memory.max) is 154 MB; raise it, "
            "or use a smaller model");
}

TEST(ModelMemory, Int8IsRecommendedWhereItFits) {
  const ModelMemory memory{.weights = 400 * kMega, .in_int8 = 100 * kMega};
  EXPECT_EQ(refused_below(200 * kMega, memory),
            "big: about 454 MB of memory are needed, the limit (memory.max) is 200 MB; raise it, "
            "or compute in int8, which needs 154 MB (--compute-type int8)");
  EXPECT_EQ(refused_below(100 * kMega, memory),
            "big: about 454 MB of memory are needed, the limit (memory.max) is 100 MB; raise it, "
            "or use a smaller model");
}

TEST(ModelMemory, InInt8IsThatOfTheFileOrAByteAWeight) {
  const TempDir folder;
  EXPECT_EQ(int8_memory(folder.path(), 77), 77);
  write_bytes(folder / "model.int8.safetensors", "12345");
  EXPECT_EQ(int8_memory(folder.path(), 77), 5);
}

TEST(ModelMemory, OfATranslationModelIsItsMatricesAndTheirScreen) {
  TransformerConfig config;
  config.target_vocabulary = 10;
  config.d_model = 3;
  EXPECT_EQ(weight_memory("none", config, 1000, Packing::no), 4000);
  EXPECT_EQ(weight_memory("none", config, 1000, Packing::yes), 4030);
  EXPECT_EQ(weight_memory("none", config, 1000, Packing::int8), 1000);
}

}  // namespace
}  // namespace yona::testing
