// Embedding, position and dropout; and the gradients of both tables.
//
// Backward: a slice owns the table's rows whose id is its own number modulo 16, looks through all
// ids and adds the rows it owns. So equal ids are summed in row order by one thread, without
// sorting and without atomics; looking through the ids costs a few microseconds.

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/embed.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void embed_row(const EmbedArgs& args, std::int64_t i) {
  const D d;
  float* y = args.y.row<float>(i);
  const float* word = nullptr;
  if (args.ids[i] != args.padding_id && args.int8.values) {
    copy_int8_row(args.int8, args.ids[i], args.y.cols, y);
    word = y;
  } else if (args.ids[i] != args.padding_id && args.packed) {
    copy_packed_row(args.table, args.ids[i], y);
    word = y;
  } else if (args.ids[i] != args.padding_id) {
    word = args.table.row<float>(args.ids[i]);
  }
  const float* position =
      args.positions ? args.positions.row<float>(args.position_ids[i]) : nullptr;
  const V scale = hn::Set(d, args.scale);
  for_each_dropped(d, args.y.cols, args.dropout, args.row_keys, i,
                   [&](std::int64_t j, auto part, auto drop) YONA_INLINE_LAMBDA {
                     V value = hn::Zero(d);
                     if (word != nullptr) {
                       value = hn::Mul(scale, load(d, word + j, part));
                     }
                     if (position != nullptr) {
                       value = hn::Add(value, load(d, position + j, part));
                     }
                     store(d, drop(value), y + j, part);
                   });
}

// gradient += scale · mask ∘ dy of row i
void embed_backward_row(const EmbedArgs& args, std::int64_t i, float scale, float* gradient) {
  const D d;
  const float* dy = args.y.row<float>(i);
  const V factor = hn::Set(d, scale);
  for_each_dropped(d, args.y.cols, args.dropout, args.row_keys, i,
                   [&](std::int64_t j, auto part, auto drop) YONA_INLINE_LAMBDA {
                     const V value = drop(load(d, dy + j, part));
                     store(d, hn::MulAdd(factor, value, load(d, gradient + j, part)), gradient + j,
                           part);
                   });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(embed_row);
HWY_EXPORT(embed_backward_row);

namespace {

void embed(const EmbedArgs& args, Exec& exec) {
  cpu::each_row(args, args.y, reference_kernels().embed, HWY_DYNAMIC_DISPATCH(embed_row), exec);
}

// gradient[ids] += scale · mask ∘ dy
void scatter(const EmbedArgs& args, const std::int32_t* ids, float scale, std::int32_t skipped,
             const View& gradient, Exec& exec) {
  constexpr std::int64_t kSlices = 16;
  exec.pool->run(kSlices, [&](std::int64_t slice) {
    for (std::int64_t i = 0; i < args.y.rows; ++i) {
      if (ids[i] % kSlices == slice && ids[i] != skipped) {
        HWY_DYNAMIC_DISPATCH(embed_backward_row)(args, i, scale, gradient.row<float>(ids[i]));
      }
    }
  });
}

void embed_backward(const EmbedBackwardArgs& args, Exec& exec) {
  const EmbedArgs& forward = args.forward;
  if (forward.y.dtype != DType::f32) {
    reference_kernels().embed_backward.function()(args, exec);
    return;
  }
  if (args.table_gradient) {
    scatter(forward, forward.ids, forward.scale, forward.padding_id, args.table_gradient, exec);
  }
  if (args.position_gradient) {
    constexpr std::int32_t kNone = -1;
    scatter(forward, forward.position_ids, 1.0F, kNone, args.position_gradient, exec);
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.embed = embed;
  table.embed_backward = embed_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
