// The operands of matrix products as the context's precision wants them. In bf16 (f16) a tensor is
// rounded once and its copy kept with its storage: the products of forward and backward share it.
// Where products round as they read (rounds_operands()) nothing is copied.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// Do bf16 products round f32 operands as they read them (cpu/tile_matmul.h)? They do on CPUs with
// AMX, and in training on those with AVX512-BF16. Decoding on the latter multiplies a few rows many
// times, so it keeps copies of the weights in bf16.
bool rounds_operands(const Backend& backend, bool training);
inline bool rounds_operands(const Context& c) { return rounds_operands(c.backend(), c.training); }

// x, whose rows are tokens, as it is; or, with bf16 products, its rounded copy, made at the first
// call and freed with x. What is rounded must not be written to afterwards. x that is but a part of
// its storage is given as it is, and rounded by the kernel.
View operand(const Tensor& x, Context& c);

// The same for a part of a storage of which there is a copy already, by operand() of the whole or
// by RoundedWeights. Sums over the rows of a part need zeros after it, or whole units of
// kRoundedRows.
View operand_part(const Tensor& x, Context& c);

// A weight, which is a part of the model's buffer or stands alone.
View weight_operand(const Tensor& weight, Context& c);

// A copy of all the weights of a model, for as long as this object lives: one pass over them
// instead of one for each product. Weights must not change meanwhile. Where the weights have a copy
// already, which an optimiser keeps (train/optimiser.h), that is brought up to date if it is stale.
class RoundedWeights {
 public:
  // `weight` is any of them. Does nothing when products are in f32.
  RoundedWeights(const Tensor& weight, Context& c);
  ~RoundedWeights();
  RoundedWeights(const RoundedWeights&) = delete;
  RoundedWeights& operator=(const RoundedWeights&) = delete;

 private:
  StoragePtr storage_;  // empty when nothing was done
};

}  // namespace yona
