#include "yona/base/preemption.h"

#include <thread>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Preemption, CallsTheHookOfItsThreadWhileItIsInstalled) {
  int calls = 0;
  const PreemptionScope::Hook hook = [&] { ++calls; };
  preemption_point();
  {
    const PreemptionScope scope(&hook);
    preemption_point();
    std::thread([] { preemption_point(); }).join();
    {
      const PreemptionScope none(nullptr);
      preemption_point();
    }
    preemption_point();
  }
  preemption_point();
  EXPECT_EQ(calls, 2);
}

TEST(Preemption, DoesNotCallAHookFromWithinItself) {
  int calls = 0;
  const PreemptionScope::Hook hook = [&] {
    ++calls;
    preemption_point();
  };
  const PreemptionScope scope(&hook);
  preemption_point();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace yona
