// The stream on which gradients are exchanged: it sees what the backend has computed, sums of a
// backward pass that wait included, and the backend sees what it has done.

#include "yona/backend/side_stream.h"

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaSideStreamTest : public CudaTest {};

TEST_F(CudaSideStreamTest, FollowsTheBackendAndIsJoinedByIt) {
  constexpr std::int64_t kCols = 300'000;
  const Both x(1, kCols, DType::f32, 1);
  const Both y(1, kCols, DType::f32, 2);
  const Both z(1, kCols, DType::f32, 3);
  const std::unique_ptr<SideStream> side = cuda().make_side_stream();
  const AddArgs doubled{.a = x.view(true), .b = x.view(true), .y = y.view(true)};
  const AddArgs added{.a = y.view(true), .b = x.view(true), .y = z.view(true)};
  const AddArgs scaled{.a = z.view(true), .b = {}, .y = z.view(true), .alpha = 2.0F};
  cuda().kernels().add(doubled, cuda().exec());
  side->follow();
  cuda().kernels().add(added, side->exec());
  side->join();
  cuda().kernels().add(scaled, cuda().exec());
  std::vector<double> expected = x.device_values();
  for (double& value : expected) {
    value = static_cast<double>(2 * (static_cast<float>(value) * 2 + static_cast<float>(value)));
  }
  EXPECT_EQ(z.device_values(), expected);
}

TEST_F(CudaSideStreamTest, SeesSumsThatWaitForTheEndOfABackwardPass) {
  constexpr std::int64_t kCols = 24;
  const Both dy(50, kCols, DType::f32, 2);
  const Both db(1, kCols, DType::f32, 3);
  const Both copy(1, kCols, DType::f32, 4);
  const std::unique_ptr<SideStream> side = cuda().make_side_stream();
  cuda().begin_backward();
  cuda().kernels().bias_activation_backward(
      {.y = dy.view(true), .dy = dy.view(true), .bias_gradient = db.view(true)}, cuda().exec());
  side->follow();
  cuda().kernels().add({.a = db.view(true), .b = {}, .y = copy.view(true)}, side->exec());
  side->join();
  cuda().end_backward();
  EXPECT_EQ(copy.device_values(), db.device_values());
}

TEST_F(CudaSideStreamTest, AddsGradientsThatWereRounded) {
  const Both sum(1, 1001, DType::f32, 1);
  const Both more(1, 1001, DType::bf16, 2);
  cuda().kernels().add({.a = sum.view(true), .b = more.view(true), .y = sum.view(true)},
                       cuda().exec());
  reference().kernels().add({.a = sum.view(false), .b = more.view(false), .y = sum.view(false)},
                            reference().exec());
  sum.expect_equal("f32 and bf16", 0);
  cuda().kernels().add({.a = more.view(true), .b = {}, .y = sum.view(true)}, cuda().exec());
  EXPECT_EQ(sum.device_values(), more.device_values());
}

}  // namespace
}  // namespace yona::testing
