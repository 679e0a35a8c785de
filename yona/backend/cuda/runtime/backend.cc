// libyona_cuda.so: the GPU backend behind the same table as every other. Here are memory, copies
// and the stream; kernels register themselves from their own files.

#include "yona/backend/backend.h"

#include <memory>

#include "yona/backend/cuda/attention/keep_mask.h"
#include "yona/backend/cuda/gemm/matmul_plans.h"
#include "yona/backend/cuda/gemm/weight_gradients.h"
#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/cuda/runtime/memory.h"
#include "yona/backend/cuda/runtime/profile.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/replay.h"
#include "yona/backend/cuda/runtime/side_stream.h"
#include "yona/backend/cuda/runtime/upload.h"

namespace yona::cuda {

namespace {

// One clear line for a machine without a usable GPU.
void require_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  check<DeviceError>(status != cudaErrorInsufficientDriver,
                     "cuda: there is no NVIDIA driver, or one older than this build needs (CUDA "
                     "{}.{}); install it, or use --device cpu",
                     CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  check<DeviceError>(status == cudaSuccess && devices > 0,
                     "cuda: no GPU was found ({}); use --device cpu", cudaGetErrorString(status));
}

class Stream {
 public:
  Stream() {
    require_device();
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaBackend : public Backend {
 public:
  explicit CudaBackend(const BackendOptions& options)
      : uploader_(stream_.get()), plans_(options.measure), pool_(options.threads) {
    exec_.device = Device::cuda;
    exec_.backend = "cuda";
    exec_.pool = &pool_;  // for what the host prepares; no kernel uses it
    exec_.stream = exec_.cuda_stream = stream_.get();
    exec_.plans = &plans_;
  }
  ~CudaBackend() override { cudaStreamSynchronize(stream_.get()); }

  Device device() const override { return Device::cuda; }
  const Kernels& kernels() const override { return cuda::kernels(); }
  Exec& exec() override { return exec_; }

  void* reserve(std::int64_t bytes) override { return memory_.reserve(bytes); }
  void commit(void* memory, std::int64_t bytes) override { memory_.commit(memory, bytes); }
  void release(void* memory, std::int64_t /*bytes*/) noexcept override { memory_.release(memory); }

  bool has_bf16() const override { return true; }
  std::int64_t weight_gradient_tiles() const override { return weight_gradient_tiles_at_a_time(); }
  std::int64_t keep_mask_bytes(const AttentionArgs& args) const override {
    return wanted_keep_mask_bytes(args);
  }

  std::int64_t memory_bytes() const override {
    std::size_t available = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&available, &total), "asking for the memory");
    return static_cast<std::int64_t>(available);
  }

  void upload(void* to, const void* from, std::int64_t bytes) override {
    uploader_.upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                               stream_.get()),
               "copying from the device");
    synchronize();
  }
  void synchronize() override {
    check_cuda(cudaStreamSynchronize(stream_.get()), "the computation");
  }
  void begin_backward() override { exec_.sums.begin_pass(); }
  void end_backward() override { exec_.sums.end_pass(stream_.get()); }
  void abandon_backward() override { exec_.sums.abandon_pass(); }
  std::unique_ptr<SideStream> make_side_stream() override {
    return std::make_unique<CudaSideStream>(exec_);
  }
  std::unique_ptr<Replay> make_replay() override {
    return std::make_unique<GraphReplay>(exec_, stream_.get());
  }
  std::unique_ptr<Readback> make_readback() override {
    return std::make_unique<PinnedReadback>(stream_.get());
  }
  std::string choices() override { return plans_.choices().used(); }
  bool take_choices(std::string_view text) override { return plans_.choices().take(text); }
  std::unique_ptr<Profile> make_profile() override {
    return std::make_unique<EventProfile>(stream_.get());
  }

 private:
  Stream stream_;
  DeviceMemory memory_;
  Uploader uploader_;
  MatmulPlans plans_;
  ThreadPool pool_;
  CudaExec exec_;
};

}  // namespace
}  // namespace yona::cuda

extern "C" yona::Backend* yona_make_cuda_backend(const yona::BackendOptions& options) {
  return std::make_unique<yona::cuda::CudaBackend>(options).release();
}
