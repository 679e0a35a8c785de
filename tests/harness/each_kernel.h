// Every kernel of a backend's table, for tests that ask something of all of them.
#pragma once

#include "yona/backend/kernels.h"

namespace yona::testing {

// Calls function(kernel) for every kernel of a table; a new kernel does not compile without a line
// here, because the table's size is checked.
template <class Function>
void for_each_kernel(const Kernels& k, const Function& function) {
  function(k.matmul);
  function(k.bias_activation_backward);
  function(k.relu_gradient_product);
  function(k.gelu_gradient_product);
  function(k.weight_gradients);
  function(k.dropout);
  function(k.embed);
  function(k.embed_backward);
  function(k.residual_norm);
  function(k.residual_norm_backward);
  function(k.linear_norm);
  function(k.rms_norm);
  function(k.rms_norm_backward);
  function(k.batch_norm);
  function(k.batch_norm_backward);
  function(k.lsh_buckets);
  function(k.lsh_order);
  function(k.lsh_attention);
  function(k.lsh_attention_backward);
  function(k.lsh_table);
  function(k.bucket_bias);
  function(k.bucket_bias_backward);
  function(k.attention);
  function(k.attention_backward);
  function(k.additive_attention);
  function(k.additive_attention_backward);
  function(k.cross_entropy);
  function(k.rdrop);
  function(k.vocabulary_loss);
  function(k.softmax);
  function(k.softmax_backward);
  function(k.log_softmax);
  function(k.log_softmax_backward);
  function(k.gelu);
  function(k.gelu_backward);
  function(k.gelu_tanh);
  function(k.gelu_tanh_backward);
  function(k.silu);
  function(k.silu_backward);
  function(k.tanh);
  function(k.tanh_backward);
  function(k.sigmoid);
  function(k.sigmoid_backward);
  function(k.gather_rows);
  function(k.gather_rows_backward);
  function(k.prepend_rows);
  function(k.prepend_rows_backward);
  function(k.segment_mean);
  function(k.segment_mean_backward);
  function(k.rotary);
  function(k.recurrent_step);
  function(k.recurrent_step_backward);
  function(k.neighbours);
  function(k.neighbours_backward);
  function(k.multiply);
  function(k.add);
  function(k.fill);
  function(k.squared_norm);
  function(k.adam);
  function(k.cached_attention);
  function(k.top_k);
  function(k.logits_top_k);
  function(k.beam_step);
  function(k.beam_move);
  function(k.log_add);
  function(k.round_bf16);
  function(k.pack);
  function(k.packed_matmul);
  function(k.screen);
  function(k.screened_matmul);
  function(k.quantise);
  function(k.int8_matmul);
  function(k.int8_top_k);
  function(k.attention_weights);
  function(k.additive_attention_weights);
  function(k.put_rows);
  function(k.patch_numbers);
  function(k.next_tokens);
  function(k.performer_attention);
  function(k.performer_attention_backward);
  function(k.performer_attention_weights);
  function(k.apply_lambdas);
  function(k.apply_lambdas_backward);
  static_assert(sizeof(Kernels) == 83 * sizeof(Kernel<AddArgs>));
}

}  // namespace yona::testing
