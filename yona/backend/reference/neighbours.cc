// The neighbours of each token beside each other, and their gradient.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// Are rows t and u of one sentence?
bool same_sentence(const NeighboursArgs& args, std::int64_t t, std::int64_t u, std::int64_t rows) {
  return u >= 0 && u < rows && args.positions[u] - args.positions[t] == u - t;
}

void gather_neighbours(const NeighboursArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "neighbours", [&](auto type) {
    using T = decltype(type);
    for (std::int64_t t = 0; t < args.x.rows; ++t) {
      for (std::int64_t k = 0; k < args.width; ++k) {
        const std::int64_t u = t + args.first + k * args.dilation;
        const bool there = same_sentence(args, t, u, args.x.rows);
        for (std::int64_t j = 0; j < args.x.cols; ++j) {
          args.y.row<T>(t)[k * args.x.cols + j] = there ? args.x.row<T>(u)[j] : T{0};
        }
      }
    }
  });
}

void scatter_neighbours(const NeighboursBackwardArgs& args, Exec& /*exec*/) {
  const NeighboursArgs& forward = args.forward;
  with_type(args.dx.dtype, "neighbours_backward", [&](auto type) {
    using T = decltype(type);
    for (std::int64_t t = 0; t < args.dx.rows; ++t) {
      for (std::int64_t j = 0; j < args.dx.cols; ++j) {
        T& dx = args.dx.row<T>(t)[j];
        double sum = args.accumulate ? double{dx} : 0.0;
        for (std::int64_t k = 0; k < forward.width; ++k) {
          const std::int64_t u = t - forward.first - k * forward.dilation;
          if (same_sentence(forward, t, u, args.dx.rows)) {
            sum += double{args.dy.row<T>(u)[k * args.dx.cols + j]};
          }
        }
        dx = static_cast<T>(sum);
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.neighbours = gather_neighbours;
  table.neighbours_backward = scatter_neighbours;
});

}  // namespace
}  // namespace yona::reference
