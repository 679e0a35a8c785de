#include "yona/backend/reference/dispatch.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(ReferenceDispatch, NamesKernelsAndTypesThatItHasNot) {
  Region region(shared_backend("reference"), 1 << 20);
  const Context c{.region = region};
  EXPECT_EQ(message_of<NotImplemented>([&] { c.zeros(DType::i32, {2}); }),
            "fill: the reference backend has no kernel for i32");
  EXPECT_EQ(message_of<NotImplemented>([&] { c.zeros(DType::bf16, {2}); }),
            "fill: the reference backend has no kernel for bf16");
}

}  // namespace
}  // namespace yona::testing
