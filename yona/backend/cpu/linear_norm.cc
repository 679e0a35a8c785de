// A product, the residual sum and layer normalisation, on CPUs: one after the other. Ops do that
// themselves here (Fused::no), with products that this kernel does not know of.

#include "yona/backend/registration.h"

namespace yona {

namespace {

void linear_norm(const LinearNormArgs& args, Exec& exec) {
  cpu_kernels().matmul.function()(args.product(), exec);
  cpu_kernels().residual_norm.function()(args.norm(), exec);
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.linear_norm = linear_norm; });

}  // namespace
}  // namespace yona
