#include "yona/backend/cuda/runtime/side_stream.h"

namespace yona::cuda {

// The base class only keeps the address of own_.
CudaSideStream::CudaSideStream(CudaExec& main) : SideStream(own_), main_(main) {
  static_cast<Exec&>(own_) = main;
  own_.profile = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&own_.cuda_stream, cudaStreamNonBlocking),
             "creating a stream");
  own_.stream = own_.cuda_stream;
  check_cuda(cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming), "making an event");
}

CudaSideStream::~CudaSideStream() {
  cudaStreamSynchronize(own_.cuda_stream);
  cudaEventDestroy(reached_);
  cudaStreamDestroy(own_.cuda_stream);
}

void CudaSideStream::follow() {
  main_.sums.flush(main_.cuda_stream);
  order(main_.cuda_stream, own_.cuda_stream);
}

void CudaSideStream::join() { order(own_.cuda_stream, main_.cuda_stream); }

void CudaSideStream::order(cudaStream_t before, cudaStream_t after) {
  check_cuda(cudaEventRecord(reached_, before), "recording an event");
  check_cuda(cudaStreamWaitEvent(after, reached_, 0), "waiting for an event");
}

}  // namespace yona::cuda
