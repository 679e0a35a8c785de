// A table by buckets of distances, spread out to one column for each distance.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void bucket_bias(const BucketBiasArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "bucket_bias", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t head = 0; head < args.y.rows; ++head) {
      for (std::int64_t r = 0; r < args.y.cols; ++r) {
        args.y.row<T>(head)[r] = args.table.row<T>(args.buckets[r])[head];
      }
    }
  });
}

void bucket_bias_backward(const BucketBiasArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "bucket_bias_backward", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t head = 0; head < args.y.rows; ++head) {
      for (std::int64_t r = 0; r < args.y.cols; ++r) {
        args.table.row<T>(args.buckets[r])[head] += args.y.row<T>(head)[r];
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.bucket_bias = bucket_bias;
  table.bucket_bias_backward = bucket_bias_backward;
});

}  // namespace
}  // namespace yona::reference
