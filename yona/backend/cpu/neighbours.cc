// The neighbours of each token beside each other: copies of whole rows, and sums of them.

#include <algorithm>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

// Row t + distance, if it is in t's sentence; else -1.
std::int64_t neighbour_of(const NeighboursArgs& args, std::int64_t t, std::int64_t distance,
                          std::int64_t rows) {
  const std::int64_t u = t + distance;
  return u >= 0 && u < rows && args.positions[u] - args.positions[t] == distance ? u : -1;
}

void gather_neighbours(const NeighboursArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().neighbours.function()(args, exec);
    return;
  }
  const std::int64_t d = args.x.cols;
  for_each_row(exec, args.x.rows, args.y.cols, [&](std::int64_t t) {
    for (std::int64_t k = 0; k < args.width; ++k) {
      const std::int64_t u = neighbour_of(args, t, args.first + k * args.dilation, args.x.rows);
      float* to = args.y.row<float>(t) + k * d;
      if (u >= 0) {
        std::copy_n(args.x.row<float>(u), d, to);
      } else {
        std::fill_n(to, d, 0.0F);
      }
    }
  });
}

void scatter_neighbours(const NeighboursBackwardArgs& args, Exec& exec) {
  if (args.dx.dtype != DType::f32) {
    reference_kernels().neighbours_backward.function()(args, exec);
    return;
  }
  const NeighboursArgs& forward = args.forward;
  const std::int64_t d = args.dx.cols;
  for_each_row(exec, args.dx.rows, args.dy.cols, [&](std::int64_t t) {
    float* dx = args.dx.row<float>(t);
    if (!args.accumulate) {
      std::fill_n(dx, d, 0.0F);
    }
    for (std::int64_t k = 0; k < forward.width; ++k) {
      const std::int64_t u =
          neighbour_of(forward, t, -forward.first - k * forward.dilation, args.dx.rows);
      if (u >= 0) {
        const float* dy = args.dy.row<float>(u) + k * d;
        for (std::int64_t j = 0; j < d; ++j) {
          dx[j] += dy[j];
        }
      }
    }
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.neighbours = gather_neighbours;
  table.neighbours_backward = scatter_neighbours;
});

}  // namespace
}  // namespace yona::cpu
