// Embedding, position and dropout; and the gradients of both tables.
// The gradients are sums over rows of the same id: common/row_segments.cuh.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/common/row_segments.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct Lookup {
  const std::int32_t* ids = nullptr;
  const std::int32_t* position_ids = nullptr;
  const std::uint64_t* row_keys = nullptr;
  Rows<float> table, positions;
  Rows<T> y;
  std::int64_t rows = 0;
  float scale = 1.0F;
  std::int32_t padding_id = -1;
  Dropout dropout{};
};

template <class T>
__global__ void __launch_bounds__(kThreads) embed_kernel(Lookup<T> lookup) {
  const Place at = place_of_warp(lookup.rows, lookup.y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack] = {};
  const std::int32_t id = lookup.ids[at.row];
  if (id != lookup.padding_id) {
    lookup.table.load(id, at.channel, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] *= lookup.scale;
    }
  }
  if (lookup.positions.there()) {
    float p[kPack];
    lookup.positions.load(lookup.position_ids[at.row], at.channel, p);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] += p[i];
    }
  }
  if (lookup.dropout.threshold != 0) {
    drop(lookup.dropout, lookup.row_keys[at.row], at.first, at.lane, v);
  }
  lookup.y.store(at.row, at.channel, v);
}

void embed(const EmbedArgs& args, Exec& exec) {
  check<NotImplemented>(!args.packed, "embed: the cuda backend reads no packed tables");
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "embed", [&](auto t) {
    using T = decltype(t);
    const Lookup<T> lookup{args.ids,
                           args.position_ids,
                           args.row_keys,
                           rows_of<float>(args.table),
                           args.positions ? rows_of<float>(args.positions) : Rows<float>{},
                           rows_of<T>(args.y),
                           args.y.rows,
                           args.scale,
                           args.padding_id,
                           args.dropout};
    embed_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(lookup);
  });
  check_launch("embed");
}

template <class T>
void add_segments(const EmbedArgs& forward, const std::int32_t* ids, const View& gradient,
                  float factor, std::int32_t skipped, Exec& exec) {
  add_row_segments(Segments<T, float>{.dy = rows_of<T>(forward.y),
                                      .gradient = rows_of<float>(gradient),
                                      .factor = factor,
                                      .skipped = skipped,
                                      .row_keys = forward.row_keys,
                                      .dropout = forward.dropout},
                   ids, forward.y.rows, gradient.rows, exec);
  check_launch("embed_backward");
}

void embed_backward(const EmbedBackwardArgs& args, Exec& exec) {
  const EmbedArgs& forward = args.forward;
  if (forward.y.rows * forward.y.cols == 0) {
    return;
  }
  with_type(forward.y.dtype, "embed_backward", [&](auto t) {
    using T = decltype(t);
    if (args.table_gradient) {
      add_segments<T>(forward, forward.ids, args.table_gradient, forward.scale, forward.padding_id,
                      exec);
    }
    if (args.position_gradient) {
      add_segments<T>(forward, forward.position_ids, args.position_gradient, 1.0F, -1, exec);
    }
  });
}

const Registration registration([](Kernels& table) {
  table.embed = embed;
  table.embed_backward = embed_backward;
});

}  // namespace
}  // namespace yona::cuda
