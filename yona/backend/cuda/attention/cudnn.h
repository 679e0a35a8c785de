// Attention by cuDNN (backend/cudnn/attention.h): which calls it takes, and how they are cut so
// that the workspace stays small.
#pragma once

#include <cuda_runtime.h>
#include <memory>

#include "yona/backend/cudnn/attention.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

struct CudaExec;

// libyona_cudnn.so, opened at the first question. Without it, or with YONA_CUDNN=0 in the
// environment, there is none.
class CudnnLibrary {
 public:
  cudnn::Attention* get();

 private:
  bool asked_ = false;
  std::unique_ptr<cudnn::Attention> attention_;
};

// Return false, with nothing done, for calls that cuDNN does not take.
bool launch_attention_cudnn(const AttentionArgs& args, CudaExec& exec);
bool launch_attention_backward_cudnn(const AttentionBackwardArgs& args, CudaExec& exec);

}  // namespace yona::cuda
