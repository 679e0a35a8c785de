#include "yona/models/memory_network_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

TEST(MemoryNetworkConfig, ValuesThatCannotBeAreNamed) {
  MemoryNetworkConfig config;
  EXPECT_THAT(message_of<InvalidArgument>([&] { check_config(config); }),
              HasSubstr("a memory network needs words"));
  config.vocabulary = 10;
  check_config(config);
  config.hops = 0;
  EXPECT_THAT(message_of<InvalidArgument>([&] { check_config(config); }),
              HasSubstr("model.hops: 0 is not between 1 and 100"));
}

}  // namespace
}  // namespace yona::testing
