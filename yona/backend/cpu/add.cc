// Sums, scaling and constants.

#include <algorithm>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/add.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

// y = alpha · a + beta · b, or alpha · a where b is null.
void add_range(const float* a, const float* b, float* y, std::int64_t n, float alpha, float beta) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, alpha);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    auto value = hn::Mul(factor, load(d, a + j, part));
    if (b != nullptr) {
      value = hn::MulAdd(hn::Set(d, beta), load(d, b + j, part), value);
    }
    store(d, value, y + j, part);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(add_range);

namespace {

bool is_f32(const View& x) { return !x || x.dtype == DType::f32; }

// The last operand is bf16: what ranks exchange.
void add_bf16(const AddArgs& args, Exec& exec) {
  cpu::for_each_piece(exec, args.y.rows, args.y.cols,
                      [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
                        const auto* last = (args.b ? args.b : args.a).row<std::uint16_t>(i);
                        const float* a = args.b ? args.a.row<float>(i) : nullptr;
                        float* y = args.y.row<float>(i);
                        for (std::int64_t j = begin; j < end; ++j) {
                          const float x = from_bf16(last[j]);
                          y[j] = a != nullptr ? args.alpha * a[j] + args.beta * x : args.alpha * x;
                        }
                      });
}

void add(const AddArgs& args, Exec& exec) {
  if (args.y.dtype == DType::f32 && !(is_f32(args.a) && is_f32(args.b))) {
    add_bf16(args, exec);
    return;
  }
  if (args.y.dtype != DType::f32) {
    reference_kernels().add.function()(args, exec);
    return;
  }
  cpu::for_each_piece(
      exec, args.y.rows, args.y.cols, [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
        HWY_DYNAMIC_DISPATCH(add_range)
        (args.a.row<float>(i) + begin, args.b ? args.b.row<float>(i) + begin : nullptr,
         args.y.row<float>(i) + begin, end - begin, args.alpha, args.beta);
      });
}

void fill(const FillArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().fill.function()(args, exec);
    return;
  }
  cpu::for_each_piece(exec, args.y.rows, args.y.cols,
                      [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
                        std::fill_n(args.y.row<float>(i) + begin, end - begin, args.value);
                      });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.add = add;
  table.fill = fill;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
