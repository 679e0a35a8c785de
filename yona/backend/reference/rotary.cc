// Rotary position embedding (Su et al. 2021): pairs of channels turned by angles of the position.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// (a, b) ← (a cos - b sin, b cos + a sin), with a in the first half of the channels, b in the other
template <class T>
void rotate_head(T* x, const T* table, std::int64_t half, bool inverse) {
  for (std::int64_t i = 0; i < half; ++i) {
    const double cosine = double{table[i]};
    const double sine = inverse ? -double{table[half + i]} : double{table[half + i]};
    const double a = double{x[i]};
    const double b = double{x[half + i]};
    x[i] = static_cast<T>(a * cosine - b * sine);
    x[half + i] = static_cast<T>(b * cosine + a * sine);
  }
}

void rotary(const RotaryArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "rotary", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t row = 0; row < args.x.rows; ++row) {
      for (std::int64_t begin = 0; begin < args.x.cols; begin += args.d_k) {
        rotate_head(args.x.row<T>(row) + begin, args.table.row<T>(args.positions[row]),
                    args.table.cols / 2, args.inverse);
      }
    }
  });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.rotary = rotary; });

}  // namespace
}  // namespace yona::reference
