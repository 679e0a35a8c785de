// The choice of instruction set: every name is understood, wrong ones are refused with advice.

#include "yona/backend/cpu/features.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/backend/registration.h"
#include "yona/base/error.h"

namespace yona {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Isa, EverySetOfTheMachineCanBeUsed) {
  ASSERT_FALSE(available_isas().empty());
  EXPECT_EQ(available_isas().front(), Isa::baseline);
  for (const Isa isa : available_isas()) {
    use_isa(isa);
    EXPECT_EQ(current_isa(), isa);
    EXPECT_EQ(parse_isa(name_of(isa)), isa);
  }
  EXPECT_EQ(current_isa(), available_isas().back());
}

TEST(Isa, AnUnknownNameIsAnError) {
  EXPECT_THAT([] { parse_isa("sse9"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("use baseline, avx2 or avx512")));
}

TEST(Isa, ASetThatTheMachineLacksIsAnError) {
  if (available_isas().back() == Isa::avx512) {
    GTEST_SKIP() << "this machine has every set";
  }
  EXPECT_THAT([] { parse_isa("avx512"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("this machine has no avx512")));
}

TEST(IsaDeathTest, AWrongEnvironmentVariableStopsTheCpuBackend) {
  EXPECT_EXIT(
      {
        setenv("YONA_CPU_ISA", "sse9", 1);
        try {
          cpu_kernels();
        } catch (const InvalidArgument& error) {
          std::exit(error.what() == std::string_view("YONA_CPU_ISA: 'sse9' is unknown; use "
                                                     "baseline, avx2 or avx512")
                        ? 7
                        : 8);
        }
      },
      testing::ExitedWithCode(7), "");
}

TEST(Isa, WithoutAvx512ThereIsNoBf16) {
  use_isa(Isa::baseline);
  EXPECT_FALSE(cpu_has_bf16());
  use_isa(available_isas().back());
}

}  // namespace
}  // namespace yona
