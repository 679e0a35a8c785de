// Biases by buckets of distances on the device: more distances than a block has threads, buckets
// that hold many of them and buckets that hold none.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaBucketBias : public CudaTest {};

TEST_F(CudaBucketBias, AndItsGradientAreTheReferences) {
  for (const std::int64_t heads : {1, 6, 16}) {
    for (const std::int64_t distances : {1, 33, 257, 2001}) {
      SCOPED_TRACE(::testing::Message() << heads << " heads, " << distances << " distances");
      constexpr std::int64_t kBuckets = 32;
      std::vector<std::int32_t> values;
      for (std::int64_t r = 0; r < distances; ++r) {  // none in the last bucket, most in bucket 3
        values.push_back(static_cast<std::int32_t>(r % 4 == 0 ? r % (kBuckets - 1) : 3));
      }
      const Numbers<std::int32_t> buckets(values);
      const Both table(kBuckets, heads, DType::f32, 1);
      const Both y(heads, distances, DType::f32, 2);
      run(&Kernels::bucket_bias, [&](bool on) {
        return BucketBiasArgs{
            .buckets = buckets.data(on), .table = table.view(on), .y = y.view(on)};
      });
      y.expect_equal("y", 0.0);
      const Both dtable(kBuckets, heads, DType::f32, 3);
      run(&Kernels::bucket_bias_backward, [&](bool on) {
        return BucketBiasArgs{
            .buckets = buckets.data(on), .table = dtable.view(on), .y = y.view(on)};
      });
      dtable.expect_equal("gradient", 1e-4);
    }
  }
}

}  // namespace
}  // namespace yona::testing
