#include "yona/backend/cpu/add_to_row.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

TEST(AddToRow, AddsEveryElementAndTouchesNoOther) {
  test::on_every_isa([] {
    for (const std::int64_t n : {0, 1, 3, 8, 15, 16, 17, 40}) {
      std::vector<float> from(static_cast<std::size_t>(n));
      std::vector<float> to(static_cast<std::size_t>(n) + 2, 0.5F);
      for (std::int64_t j = 0; j < n; ++j) {
        from[static_cast<std::size_t>(j)] = static_cast<float>(j);
      }
      cpu::add_to_row(from.data(), n, to.data() + 1);
      EXPECT_EQ(to.front(), 0.5F);
      EXPECT_EQ(to.back(), 0.5F);
      for (std::int64_t j = 0; j < n; ++j) {
        EXPECT_EQ(to[static_cast<std::size_t>(j) + 1], static_cast<float>(j) + 0.5F) << n;
      }
    }
  });
}

}  // namespace
}  // namespace yona
