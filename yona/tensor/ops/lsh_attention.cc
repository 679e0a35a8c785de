#include "yona/tensor/ops/lsh_attention.h"

namespace yona {

namespace {

// What sorting has found, in memory of the pass.
struct SortedTokens {
  Tensor order, place, begin, end;  // i32 [rounds · heads, T]

  SortedTokens(std::int64_t tokens, const LshOptions& o, const Context& c) {
    const Shape shape{o.rounds * o.heads, tokens};
    order = c.empty(DType::i32, shape);
    place = c.empty(DType::i32, shape);
    begin = c.empty(DType::i32, shape);
    end = c.empty(DType::i32, shape);
  }
  LshOrder args() const {
    return {order.data<std::int32_t>(), place.data<std::int32_t>(), begin.data<std::int32_t>(),
            end.data<std::int32_t>(), order.cols()};
  }
};

void check_options(const LshOptions& o) {
  check(o.heads > 0 && o.rounds > 0 && o.buckets >= 2 && o.buckets % 2 == 0 && o.chunk > 0,
        "lsh_attention: {} heads, {} rounds of {} buckets and chunks of {} tokens; the buckets are "
        "an even number",
        o.heads, o.rounds, o.buckets, o.chunk);
}

LshAttentionArgs forward_args(const std::array<Tensor, 5>& tensors, const SortedTokens& sorted,
                              const LshOptions& o) {
  const auto& [q, k, v, out, lse] = tensors;
  return {.q = q.view(),
          .k = k.view(),
          .v = v.view(),
          .out = out.view(),
          .lse = lse.view(),
          .order = sorted.args(),
          .first = (k.rows() - q.rows()) / o.heads,
          .heads = o.heads,
          .rounds = o.rounds,
          .chunk = o.chunk,
          .scale = o.scale,
          .causal = o.causal};
}

}  // namespace

Tensor lsh_buckets(const Tensor& x, const Tensor& rotations, const LshOptions& options,
                   Context& c) {
  check_options(options);
  check(rotations.rows() == options.rounds * options.buckets / 2 && rotations.cols() == x.cols(),
        "lsh_buckets: rotations {} of {} do not fit {} rounds of {} buckets", rotations.shape(),
        x.shape(), options.rounds, options.buckets);
  Tensor buckets = c.empty(x.dtype(), Shape{x.rows(), options.rounds});
  c.kernels().lsh_buckets({.x = x.view(), .rotations = rotations.view(), .buckets = buckets.view()},
                          c.exec());
  return buckets;
}

Tensor lsh_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& buckets,
                     const std::shared_ptr<const Layout>& layout, const LshOptions& options,
                     Context& c) {
  check_options(options);
  const std::int64_t rows = layout->tokens * options.heads;
  check(k.rows() == rows && v.rows() == rows && buckets.rows() == rows && q.cols() == k.cols() &&
            buckets.cols() == options.rounds &&
            (q.rows() == rows || (layout->sentences == 1 && q.rows() < rows)),
        "lsh_attention: q {}, k {}, v {} and buckets {} do not fit {} heads of {} tokens",
        q.shape(), k.shape(), v.shape(), buckets.shape(), options.heads, layout->tokens);
  const SortedTokens sorted(layout->tokens, options, c);
  c.kernels().lsh_order({.buckets = buckets.view(),
                         .heads = options.heads,
                         .count = options.buckets,
                         .offsets = layout->offsets_data(),
                         .sentences = layout->sentences,
                         .order = sorted.args()},
                        c.exec());
  Tensor out = c.empty(q.dtype(), Shape{q.rows(), v.cols()});
  const Tensor lse = c.empty(sum_type(q.dtype()), Shape{q.rows(), 1});
  const auto args = [=](const Tensor& y) {
    return forward_args({q, k, v, y, lse}, sorted, options);
  };
  c.kernels().lsh_attention(args(out), c.exec());
  if (records(c, q, k, v)) {
    check(q.rows() == rows, "lsh_attention: there is no gradient of {} of {} queries", q.rows(),
          rows);
    out.set_requires_gradient();
    c.tape->record([q, k, v, lse, out, layout, args, &c] {
      if (const Tensor dout = out.gradient(); dout) {
        const GradientTargets3 d = gradient_targets(q, k, v, c.region);
        const Tensor products = c.empty(lse.dtype(), lse.shape());
        c.kernels().lsh_attention_backward({.forward = args(out),
                                            .dout = dout.view(),
                                            .dq = d.a.view(),
                                            .dk = d.b.view(),
                                            .dv = d.c.view(),
                                            .products = products.view(),
                                            .accumulate_dq = d.a.accumulate,
                                            .accumulate_dk = d.b.accumulate,
                                            .accumulate_dv = d.c.accumulate},
                                           c.exec());
      }
    });
  }
  return out;
}

namespace {

// The columns of a head in a row of the cache.
struct LshColumns {
  Tensor keys, values, buckets;

  LshColumns(const Tensor& rows, std::int64_t d_k, std::int64_t d_v, const LshOptions& o) {
    const std::int64_t width = d_k + d_v + o.rounds;
    check(rows.cols() == o.heads * width,
          "lsh_attention: a cache of {} does not fit {} heads of d_k {}, d_v {} and {} rounds",
          rows.shape(), o.heads, d_k, d_v, o.rounds);
    const Tensor heads = rows.reshape(Shape{rows.rows() * o.heads, width});
    keys = heads.columns(0, d_k);
    values = heads.columns(d_k, d_v);
    buckets = heads.columns(d_k + d_v, o.rounds);
  }
};

// The rows with one query each: those that each of their heads sees are a table of the cache's.
void attend_rows_by_table(const Tensor& q, const CachedKeys& keys, const LshOptions& o,
                          const Tensor& out, Context& c) {
  const std::int64_t rows = keys.counts.elements();
  if (keys.fresh) {
    c.kernels().put_rows({.x = keys.fresh.row_range(0, rows).view(),
                          .y = keys.keys_and_values.view(),
                          .rows = keys.places.data<std::int32_t>()},
                         c.exec());
  }
  const LshColumns cache(keys.keys_and_values, q.cols(), out.cols(), o);
  const std::int64_t most = 2 * o.chunk * o.rounds;
  const Tensor seen = c.empty(DType::i32, Shape{rows * o.heads, most});
  const Tensor counts = c.empty(DType::i32, Shape{rows * o.heads});
  c.kernels().lsh_table({.buckets = cache.buckets.view(),
                         .table = keys.table ? keys.table.data<std::int32_t>() : nullptr,
                         .table_stride = keys.table ? keys.table.cols() : 0,
                         .first = keys.table ? nullptr : keys.first.data<std::int64_t>(),
                         .counts = keys.counts.data<std::int32_t>(),
                         .places = keys.fresh ? keys.places.data<std::int32_t>() : nullptr,
                         .rows = rows,
                         .heads = o.heads,
                         .chunk = o.chunk,
                         .seen = seen.data<std::int32_t>(),
                         .seen_counts = counts.data<std::int32_t>(),
                         .most = most},
                        c.exec());
  c.kernels().cached_attention({.q = q.view(),
                                .k = cache.keys.view(),
                                .v = cache.values.view(),
                                .out = out.view(),
                                .table = seen.data<std::int32_t>(),
                                .table_stride = most,
                                .counts = counts.data<std::int32_t>(),
                                .d_k = q.cols(),
                                .d_v = out.cols(),
                                .scale = o.scale},
                               c.exec());
}

}  // namespace

Tensor cached_lsh_attention(const Tensor& q, const CachedKeys& keys, std::int64_t d_v,
                            const LshOptions& options, Context& c) {
  check_options(options);
  const std::int64_t h = options.heads;
  Tensor out = c.empty(q.dtype(), Shape{q.rows(), d_v});
  if (const std::int64_t rows = keys.counts.elements() * h; rows > 0) {
    attend_rows_by_table(q.row_range(0, rows), keys, options, out.row_range(0, rows), c);
  }
  LshOptions causal = options;
  causal.causal = true;
  for (const QueryBlock& block : keys.blocks) {
    const Tensor rows = block.first < 0
                            ? keys.fresh.row_range(block.row, block.keys->tokens)
                            : keys.keys_and_values.row_range(block.first, block.keys->tokens);
    const LshColumns columns(rows, q.cols(), d_v, options);
    const std::int64_t queries = block.queries->tokens * h;
    const Tensor part = lsh_attention(q.row_range(block.row * h, queries), columns.keys,
                                      columns.values, columns.buckets, block.keys, causal, c);
    c.kernels().add({.a = part.view(), .y = out.row_range(block.row * h, queries).view()},
                    c.exec());
  }
  return out;
}

}  // namespace yona
