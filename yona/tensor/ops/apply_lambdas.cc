#include "yona/tensor/ops/apply_lambdas.h"

namespace yona {

namespace {

void check_lambdas(const LambdaArgs& args) {
  check(args.heads_per_kv >= 1 && args.heads % args.heads_per_kv == 0,
        "apply_lambdas: {} heads cannot share values {} at a time", args.heads, args.heads_per_kv);
  check(args.q.cols == args.heads * args.d_k && args.v.cols == args.kv_heads() * args.d_v &&
            args.q.rows == args.v.rows,
        "apply_lambdas: q [{}, {}] and v [{}, {}] do not fit {} heads of d_k {} and d_v {}",
        args.q.rows, args.q.cols, args.v.rows, args.v.cols, args.heads, args.d_k, args.d_v);
  check(args.lambdas.rows == args.sentences * args.d_k && args.lambdas.cols == args.v.cols,
        "apply_lambdas: lambdas [{}, {}] are not [{}, {}]", args.lambdas.rows, args.lambdas.cols,
        args.sentences * args.d_k, args.v.cols);
  check(args.positions.rows % 2 == 1 && args.positions.cols == args.d_k,
        "apply_lambdas: positions [{}, {}] are not [2r + 1, {}]", args.positions.rows,
        args.positions.cols, args.d_k);
}

}  // namespace

Tensor apply_lambdas(const Ragged& q, const Tensor& lambdas, const Tensor& v,
                     const Tensor& positions, const LambdaHeads& heads, Context& c) {
  const std::int64_t kv_heads = heads.kv_heads > 0 ? heads.kv_heads : heads.heads;
  const auto args = [=, &lambdas, &v, &positions] {
    return LambdaArgs{.q = q.values.view(),
                      .v = v.view(),
                      .lambdas = lambdas.view(),
                      .positions = positions.view(),
                      .offsets = q.layout->offsets_data(),
                      .sentences = q.layout->sentences,
                      .heads = heads.heads,
                      .heads_per_kv = heads.heads / kv_heads,
                      .d_k = heads.d_k,
                      .d_v = heads.d_v};
  };
  check_lambdas(args());
  Tensor y = c.empty(q.values.dtype(), Shape{q.values.rows(), heads.heads * heads.d_v});
  LambdaArgs forward = args();
  forward.y = y.view();
  c.kernels().apply_lambdas(forward, c.exec());
  if (records(c, q.values, lambdas, v, positions)) {
    check(q.values.requires_gradient() && lambdas.requires_gradient() && v.requires_gradient() &&
              positions.requires_gradient(),
          "apply_lambdas: q, lambdas, v and positions must all take gradients, or none");
    y.set_requires_gradient();
    c.tape->record([q, lambdas, v, positions, forward, y, &c] {
      const Tensor dy = y.gradient();
      if (!dy) {
        return;
      }
      const GradientTarget dlambdas = gradient_target(lambdas, c.region);
      const GradientTarget dq = gradient_target(q.values, c.region);
      const GradientTarget dv = gradient_target(v, c.region);
      c.kernels().apply_lambdas_backward({.forward = forward,
                                          .dy = dy.view(),
                                          .dq = dq.view(),
                                          .dv = dv.view(),
                                          .dlambdas = dlambdas.view(),
                                          .dpositions = gradient_sum(positions, c.region),
                                          .accumulate_dq = dq.accumulate,
                                          .accumulate_dv = dv.accumulate,
                                          .accumulate_dlambdas = dlambdas.accumulate},
                                         c.exec());
    });
  }
  return y;
}

}  // namespace yona
