#include "yona/backend/replay.h"

#include <gtest/gtest.h>

#include "yona/backend/backend.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

std::vector<std::string_view> backends() {
  std::vector<std::string_view> names{"reference", "cpu"};
  if (has_cuda()) {
    names.emplace_back("cuda");
  }
  return names;
}

// x ← 2x, again and again; on a GPU by hand, as a graph that is being made, and as a graph.
TEST(Replay, RunsItsCallsEveryTime) {
  for (const std::string_view name : backends()) {
    SCOPED_TRACE(name);
    Backend& backend = shared_backend(name);
    Region region(backend, std::int64_t{1} << 20U);
    const Tensor x(region, DType::f32, Shape{1, 3});
    x.upload(std::vector<float>{1, -2, 0.5F});
    const auto replay = backend.make_replay();
    const auto readback = backend.make_readback();
    for (int run = 1; run <= 5; ++run) {
      replay->run([&] {
        backend.kernels().add({.a = x.view(), .y = x.view(), .alpha = 2.0F}, backend.exec());
      });
      readback->start(x.raw(), 12);
      const auto* values = static_cast<const float*>(readback->wait());
      EXPECT_EQ(values[0], static_cast<float>(1 << run));
      EXPECT_EQ(values[1], static_cast<float>(-2 * (1 << run)));
    }
  }
}

TEST(Readback, HasWhatWasThereWhenItBegan) {
  for (const std::string_view name : backends()) {
    SCOPED_TRACE(name);
    Backend& backend = shared_backend(name);
    Region region(backend, std::int64_t{1} << 20U);
    const Tensor x(region, DType::i32, Shape{1000});
    const auto first = backend.make_readback();
    const auto second = backend.make_readback();
    x.upload(std::vector<std::int32_t>(1000, 7));
    first->start(x.raw(), 4);
    x.upload(std::vector<std::int32_t>(1000, 8));
    second->start(x.raw(), 4000);
    EXPECT_EQ(*static_cast<const std::int32_t*>(first->wait()), 7);
    EXPECT_EQ(static_cast<const std::int32_t*>(second->wait())[999], 8);
    first->start(x.raw(), 4000);
    EXPECT_EQ(static_cast<const std::int32_t*>(first->wait())[500], 8);
  }
}

}  // namespace
}  // namespace yona::testing
