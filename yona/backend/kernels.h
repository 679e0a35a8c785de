// The table of kernels that a backend provides: one line per kernel. There is no other list: a new
// kernel is a line here, an Args struct in kernel_args.h and a plain loop in backend/reference.
#pragma once

#include <string_view>

#include "yona/backend/beam_args.h"
#include "yona/backend/exec.h"
#include "yona/backend/kernel_args.h"
#include "yona/backend/recurrent_args.h"
#include "yona/backend/vocabulary_args.h"

namespace yona {

// Does a backward kernel also add up the columns of the gradients that it writes, where its args
// ask for that? Others are not asked.
enum class GradientSums : bool { no, yes };

// Is a kernel that replaces several others worth calling instead of them? If it is not, ops
// call those, so that what they can do besides, such as packed weights, is not lost.
enum class Fused : bool { no, yes };

// A kernel of the table. Calling one that the backend lacks throws NotImplemented; on a dry run
// (Device::meta) nothing is computed.
template <class Args>
class Kernel {
 public:
  using Function = void (*)(const Args&, Exec&);

  explicit constexpr Kernel(std::string_view name) : name_(name) {}
  Kernel& operator=(Function kernel) {
    function_ = kernel;
    gradient_sums = GradientSums::no;
    fused = Fused::no;
    return *this;
  }
  Function function() const { return function_; }
  GradientSums gradient_sums = GradientSums::no;
  Fused fused = Fused::no;

  void operator()(const Args& args, Exec& exec) const {
    if (exec.dry_run) {
      return;
    }
    if (function_ == nullptr) {
      missing_kernel(name_, exec);
    }
    const ProfileScope scope(exec.profile, name_);
    function_(args, exec);
  }

 private:
  std::string_view name_;
  Function function_ = nullptr;
};

struct Kernels {
  Kernel<MatmulArgs> matmul{"matmul"};
  Kernel<RoundArgs> round_bf16{"round_bf16"};
  Kernel<PackArgs> pack{"pack"};
  Kernel<PackedMatmulArgs> packed_matmul{"packed_matmul"};
  Kernel<ScreenArgs> screen{"screen"};
  Kernel<ScreenedMatmulArgs> screened_matmul{"screened_matmul"};
  Kernel<QuantiseArgs> quantise{"quantise"};
  Kernel<Int8MatmulArgs> int8_matmul{"int8_matmul"};
  Kernel<BiasActivationBackwardArgs> bias_activation_backward{"bias_activation_backward"};
  Kernel<ReluGradientProductArgs> relu_gradient_product{"relu_gradient_product"};
  Kernel<WeightGradientsArgs> weight_gradients{"weight_gradients"};
  Kernel<DropoutArgs> dropout{"dropout"};
  Kernel<EmbedArgs> embed{"embed"};
  Kernel<EmbedBackwardArgs> embed_backward{"embed_backward"};
  Kernel<GatherRowsArgs> gather_rows{"gather_rows"};
  Kernel<GatherRowsBackwardArgs> gather_rows_backward{"gather_rows_backward"};
  Kernel<PrependRowsArgs> prepend_rows{"prepend_rows"};
  Kernel<PrependRowsBackwardArgs> prepend_rows_backward{"prepend_rows_backward"};
  Kernel<SegmentMeanArgs> segment_mean{"segment_mean"};
  Kernel<SegmentMeanArgs> segment_mean_backward{"segment_mean_backward"};
  Kernel<RotaryArgs> rotary{"rotary"};
  Kernel<ResidualNormArgs> residual_norm{"residual_norm"};
  Kernel<ResidualNormBackwardArgs> residual_norm_backward{"residual_norm_backward"};
  Kernel<LinearNormArgs> linear_norm{"linear_norm"};
  Kernel<RmsNormArgs> rms_norm{"rms_norm"};
  Kernel<RmsNormBackwardArgs> rms_norm_backward{"rms_norm_backward"};
  Kernel<BatchNormArgs> batch_norm{"batch_norm"};
  Kernel<BatchNormBackwardArgs> batch_norm_backward{"batch_norm_backward"};
  Kernel<BucketBiasArgs> bucket_bias{"bucket_bias"};
  Kernel<BucketBiasArgs> bucket_bias_backward{"bucket_bias_backward"};
  Kernel<AttentionArgs> attention{"attention"};
  Kernel<AttentionBackwardArgs> attention_backward{"attention_backward"};
  Kernel<AdditiveAttentionArgs> additive_attention{"additive_attention"};
  Kernel<AdditiveAttentionBackwardArgs> additive_attention_backward{"additive_attention_backward"};
  Kernel<CachedAttentionArgs> cached_attention{"cached_attention"};
  Kernel<LshBucketsArgs> lsh_buckets{"lsh_buckets"};
  Kernel<LshOrderArgs> lsh_order{"lsh_order"};
  Kernel<LshAttentionArgs> lsh_attention{"lsh_attention"};
  Kernel<LshAttentionBackwardArgs> lsh_attention_backward{"lsh_attention_backward"};
  Kernel<LshTableArgs> lsh_table{"lsh_table"};
  Kernel<LambdaArgs> apply_lambdas{"apply_lambdas"};
  Kernel<LambdaBackwardArgs> apply_lambdas_backward{"apply_lambdas_backward"};
  Kernel<PerformerAttentionArgs> performer_attention{"performer_attention"};
  Kernel<PerformerAttentionBackwardArgs> performer_attention_backward{
      "performer_attention_backward"};
  Kernel<PerformerAttentionWeightsArgs> performer_attention_weights{"performer_attention_weights"};
  Kernel<TopKArgs> top_k{"top_k"};
  Kernel<BeamStepArgs> beam_step{"beam_step"};
  Kernel<BeamMoveArgs> beam_move{"beam_move"};
  Kernel<AttentionWeightsArgs> attention_weights{"attention_weights"};
  Kernel<AdditiveAttentionWeightsArgs> additive_attention_weights{"additive_attention_weights"};
  Kernel<CrossEntropyArgs> cross_entropy{"cross_entropy"};
  Kernel<RDropArgs> rdrop{"rdrop"};
  Kernel<VocabularyLossArgs> vocabulary_loss{"vocabulary_loss"};
  Kernel<RowsArgs> softmax{"softmax"};
  Kernel<RowsBackwardArgs> softmax_backward{"softmax_backward"};
  Kernel<RowsArgs> log_softmax{"log_softmax"};
  Kernel<RowsBackwardArgs> log_softmax_backward{"log_softmax_backward"};
  Kernel<RowsArgs> gelu{"gelu"};
  Kernel<RowsBackwardArgs> gelu_backward{"gelu_backward"};
  Kernel<RowsArgs> gelu_tanh{"gelu_tanh"};
  Kernel<RowsBackwardArgs> gelu_tanh_backward{"gelu_tanh_backward"};
  Kernel<GeluGradientProductArgs> gelu_gradient_product{"gelu_gradient_product"};
  Kernel<RowsArgs> silu{"silu"};
  Kernel<RowsBackwardArgs> silu_backward{"silu_backward"};
  Kernel<RowsArgs> tanh{"tanh"};
  Kernel<RowsBackwardArgs> tanh_backward{"tanh_backward"};
  Kernel<RowsArgs> sigmoid{"sigmoid"};
  Kernel<RowsBackwardArgs> sigmoid_backward{"sigmoid_backward"};
  Kernel<RecurrentStepArgs> recurrent_step{"recurrent_step"};
  Kernel<RecurrentStepBackwardArgs> recurrent_step_backward{"recurrent_step_backward"};
  Kernel<NeighboursArgs> neighbours{"neighbours"};
  Kernel<NeighboursBackwardArgs> neighbours_backward{"neighbours_backward"};
  Kernel<MultiplyArgs> multiply{"multiply"};
  Kernel<AddArgs> add{"add"};
  Kernel<LogAddArgs> log_add{"log_add"};
  Kernel<FillArgs> fill{"fill"};
  Kernel<SquaredNormArgs> squared_norm{"squared_norm"};
  Kernel<AdamArgs> adam{"adam"};
  Kernel<Int8TopKArgs> int8_top_k{"int8_top_k"};
  Kernel<LogitsTopKArgs> logits_top_k{"logits_top_k"};
  Kernel<PutRowsArgs> put_rows{"put_rows"};
  Kernel<PatchNumbersArgs> patch_numbers{"patch_numbers"};
  Kernel<NextTokensArgs> next_tokens{"next_tokens"};
};

}  // namespace yona
