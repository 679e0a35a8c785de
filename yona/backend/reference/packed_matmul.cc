// Packing, and the product with packed weights, as plain loops.

#include <algorithm>
#include <vector>

#include "yona/backend/panels.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
void pack_panels(const View& weights) {
  for (std::int64_t p = 0; p < panel_count(weights); ++p) {
    const Panel<T> panel = panel_of<T>(weights, p);
    const std::vector<T> stored(panel.data, panel.data + panel.rows * weights.cols);
    for (std::int64_t r = 0; r < panel.rows; ++r) {
      for (std::int64_t j = 0; j < weights.cols; ++j) {
        panel.data[j * panel.rows + r] = stored[static_cast<std::size_t>(r * weights.cols + j)];
      }
    }
  }
}

template <class T>
void product(const PackedMatmulArgs& args) {
  std::vector<T> weights(static_cast<std::size_t>(args.weights.cols));
  for (std::int64_t j = 0; j < args.y.cols; ++j) {
    copy_packed_row(args.weights, j, weights.data());
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      double sum = args.bias ? static_cast<double>(args.bias.row<T>(0)[j]) : 0.0;
      for (std::int64_t k = 0; k < args.x.cols; ++k) {
        sum += static_cast<double>(args.x.row<T>(i)[k]) *
               static_cast<double>(weights[static_cast<std::size_t>(k)]);
      }
      args.y.row<T>(i)[j] =
          static_cast<T>(args.activation == Activation::relu ? std::max(sum, 0.0) : sum);
    }
  }
}

void pack(const PackArgs& args, Exec& /*exec*/) {
  with_type(args.weights.dtype, "pack", [&](auto t) { pack_panels<decltype(t)>(args.weights); });
}

void packed_matmul(const PackedMatmulArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "packed_matmul", [&](auto t) { product<decltype(t)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.pack = pack;
  table.packed_matmul = packed_matmul;
});

}  // namespace
}  // namespace yona::reference
