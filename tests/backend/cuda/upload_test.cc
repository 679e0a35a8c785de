// Arrays larger than the buffers that uploads go through: the buffers grow, and where no more
// memory can be pinned the arrays go in pieces.

#include <cstdlib>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

// On the host's stand-in for CUDA (tools/cuda-on-host.sh), arrays above these bytes cannot be
// pinned; a GPU ignores it.
class LargestPinned {
 public:
  explicit LargestPinned(std::int64_t bytes) {
    setenv("CUDA_ON_HOST_PINNED", std::to_string(bytes).c_str(), 1);
  }
  ~LargestPinned() { unsetenv("CUDA_ON_HOST_PINNED"); }
  LargestPinned(const LargestPinned&) = delete;
  LargestPinned& operator=(const LargestPinned&) = delete;
};

void expect_uploaded(Backend& backend, std::int64_t bytes, std::int32_t first) {
  Region region(backend, 2 * bytes);
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(std::int32_t));
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::int32_t& value : values) {
    value = first++;
  }
  const Tensor tensor(region, DType::i32, Shape{count});
  tensor.upload(values);
  EXPECT_TRUE(tensor.to_vector<std::int32_t>() == values) << bytes << " bytes";
}

class CudaUpload : public CudaTest {};

TEST_F(CudaUpload, LargeArraysArriveWhole) {
  const auto backend = make_backend("cuda");
  for (const std::int64_t bytes : {1, 20, 3, 70, 150, 8}) {
    expect_uploaded(*backend, bytes * kMegabyte, static_cast<std::int32_t>(bytes));
  }
}

TEST_F(CudaUpload, WhereNoMoreCanBePinnedArraysGoInPieces) {
  const auto backend = make_backend("cuda");
  const LargestPinned most(16 * kMegabyte);
  for (const std::int64_t bytes : {1, 12, 40, 40, 100, 15}) {
    expect_uploaded(*backend, bytes * kMegabyte, static_cast<std::int32_t>(bytes));
  }
}

}  // namespace
}  // namespace yona::testing
