// Which kernels the GPU has: all that a model needs, in training and decoding.

#include <set>

#include "tests/backend/cuda/both.h"
#include "tests/harness/each_kernel.h"

namespace yona::testing {
namespace {

class CudaRegistration : public CudaTest {};

// Packed weights, their screens and bytes save reads of a CPU's memory; no model on a GPU is packed
// (io/translation_model.cc).
TEST_F(CudaRegistration, HasEveryKernelButThoseOfPackedWeights) {
  const Kernels& table = cuda().kernels();
  const std::set<const void*> of_packed_weights{
      &table.pack,     &table.packed_matmul, &table.screen,    &table.screened_matmul,
      &table.quantise, &table.int8_matmul,   &table.int8_top_k};
  int number = 0;
  for_each_kernel(table, [&](const auto& kernel) {
    EXPECT_EQ(kernel.function() == nullptr, of_packed_weights.contains(&kernel))
        << "kernel " << number << " of for_each_kernel()";
    ++number;
  });
}

}  // namespace
}  // namespace yona::testing
