// A product, the residual sum and layer normalisation: one after the other.

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void linear_norm(const LinearNormArgs& args, Exec& exec) {
  reference_kernels().matmul.function()(args.product(), exec);
  reference_kernels().residual_norm.function()(args.norm(), exec);
}

// Called instead of the two, so that all that happens on a GPU happens in tests on a CPU.
const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.linear_norm = linear_norm;
  table.linear_norm.fused = Fused::yes;
});

}  // namespace
}  // namespace yona::reference
