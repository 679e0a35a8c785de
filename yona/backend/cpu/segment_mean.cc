// The mean of each sequence's rows, and its gradient: a sequence at a time, row after row, so that
// memory is read in order. The loops are plain: compilers vectorise them, and they are bound by
// memory.

#include <algorithm>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

void mean_of_rows(const SegmentMeanArgs& args, std::int64_t s) {
  const std::int64_t rows = args.offsets[s + 1] - args.offsets[s];
  float* y = args.y.row<float>(s);
  std::fill_n(y, args.y.cols, 0.0F);
  for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
    const float* x = args.x.row<float>(i);
    for (std::int64_t j = 0; j < args.y.cols; ++j) {
      y[j] += x[j];
    }
  }
  const float share = rows == 0 ? 0.0F : 1.0F / static_cast<float>(rows);
  for (std::int64_t j = 0; j < args.y.cols; ++j) {
    y[j] *= share;
  }
}

void spread_to_rows(const SegmentMeanArgs& args, std::int64_t s) {
  const float share = 1.0F / static_cast<float>(args.offsets[s + 1] - args.offsets[s]);
  const float* dy = args.y.row<float>(s);
  for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
    float* dx = args.x.row<float>(i);
    for (std::int64_t j = 0; j < args.x.cols; ++j) {
      dx[j] = share * dy[j] + (args.accumulate ? dx[j] : 0.0F);
    }
  }
}

// In slices of several short sequences, or of one long one.
template <class Function>
void for_each_segment(const SegmentMeanArgs& args, Exec& exec, const Function& function) {
  const std::int64_t rows = args.x.rows / std::max<std::int64_t>(1, args.segments) + 1;
  cpu::for_each_row(exec, args.segments, rows * args.x.cols, function);
}

void segment_mean(const SegmentMeanArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().segment_mean.function()(args, exec);
    return;
  }
  for_each_segment(args, exec, [&](std::int64_t s) { mean_of_rows(args, s); });
}

void segment_mean_backward(const SegmentMeanArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().segment_mean_backward.function()(args, exec);
    return;
  }
  for_each_segment(args, exec, [&](std::int64_t s) { spread_to_rows(args, s); });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.segment_mean = segment_mean;
  table.segment_mean_backward = segment_mean_backward;
});

}  // namespace
}  // namespace yona
