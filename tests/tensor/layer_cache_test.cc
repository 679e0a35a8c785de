#include "yona/tensor/layer_cache.h"

#include <gtest/gtest.h>

#include "yona/tensor/sequence_cache.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(LayerCache, RefusesStatesWhereItHasNone) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  SequenceCache cache(region, 4);
  const std::string refusal = "cache: recurrent layers are not run by this decoder";
  EXPECT_EQ(message_of<NotImplemented>([&] { cache.state([] { return Tensor(); }, c); }), refusal);
  EXPECT_EQ(message_of<NotImplemented>([&] { cache.keep(Tensor()); }), refusal);
}

}  // namespace
}  // namespace yona::testing
