// The mean of each sequence's rows, and its gradient.

#include <algorithm>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
void mean_of(const SegmentMeanArgs& args, std::int64_t s) {
  const std::int64_t rows = args.offsets[s + 1] - args.offsets[s];
  for (std::int64_t j = 0; j < args.x.cols; ++j) {
    double sum = 0;
    for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
      sum += double{args.x.row<T>(i)[j]};
    }
    args.y.row<T>(s)[j] = static_cast<T>(rows == 0 ? 0.0 : sum / static_cast<double>(rows));
  }
}

template <class T>
void spread_of(const SegmentMeanArgs& args, std::int64_t s) {
  const double share = 1.0 / static_cast<double>(args.offsets[s + 1] - args.offsets[s]);
  for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
    for (std::int64_t j = 0; j < args.x.cols; ++j) {
      T& dx = args.x.row<T>(i)[j];
      dx = static_cast<T>(share * double{args.y.row<T>(s)[j]}) + (args.accumulate ? dx : T{0});
    }
  }
}

void segment_mean(const SegmentMeanArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "segment_mean", [&](auto t) {
    for (std::int64_t s = 0; s < args.segments; ++s) {
      mean_of<decltype(t)>(args, s);
    }
  });
}

void segment_mean_backward(const SegmentMeanArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "segment_mean_backward", [&](auto t) {
    for (std::int64_t s = 0; s < args.segments; ++s) {
      spread_of<decltype(t)>(args, s);
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.segment_mean = segment_mean;
  table.segment_mean_backward = segment_mean_backward;
});

}  // namespace
}  // namespace yona::reference
