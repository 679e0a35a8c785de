// libyona_cuda.so: the GPU backend behind the same table as every other. Memory, copies and streams
// are here; a kernel that has no CUDA version yet throws NotImplemented with its name.

#include <cuda_runtime.h>
#include <memory>

#include "yona/backend/backend.h"
#include "yona/base/error.h"

namespace yona {

namespace {

void check_cuda(cudaError_t status, const char* operation) {
  check<DeviceError>(status == cudaSuccess, "cuda: {} failed: {}", operation,
                     cudaGetErrorString(status));
}

// One clear line for a machine without a usable GPU.
void require_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  check<DeviceError>(status != cudaErrorInsufficientDriver,
                     "cuda: the driver is older than this build needs (CUDA {}.{}); update it, or "
                     "use --device cpu",
                     CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  check<DeviceError>(status == cudaSuccess && devices > 0,
                     "cuda: no GPU was found ({}); use --device cpu", cudaGetErrorString(status));
}

class CudaBackend : public Backend {
 public:
  CudaBackend() {
    require_device();
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
    exec_.device = Device::cuda;
    exec_.backend = "cuda";
    exec_.stream = stream_;
  }
  ~CudaBackend() override { cudaStreamDestroy(stream_); }

  Device device() const override { return Device::cuda; }
  const Kernels& kernels() const override { return kernels_; }
  Exec& exec() override { return exec_; }

  void* reserve(std::int64_t bytes) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
    check<DeviceError>(status == cudaSuccess, "cuda: cannot reserve {:.1f} GB of memory: {}",
                       static_cast<double>(bytes) / 1e9, cudaGetErrorString(status));
    return memory;
  }
  void release(void* memory, std::int64_t /*bytes*/) noexcept override { cudaFree(memory); }

  bool has_bf16() const override { return true; }

  std::int64_t memory_bytes() const override {
    std::size_t available = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&available, &total), "asking for the memory");
    return static_cast<std::int64_t>(available);
  }

  void upload(void* to, const void* from, std::int64_t bytes) override {
    check_cuda(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_),
        "copying to the device");
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    check_cuda(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, stream_),
        "copying from the device");
    synchronize();
  }
  void synchronize() override { check_cuda(cudaStreamSynchronize(stream_), "the computation"); }

 private:
  cudaStream_t stream_ = nullptr;
  Kernels kernels_;
  Exec exec_;
};

}  // namespace
}  // namespace yona

extern "C" yona::Backend* yona_make_cuda_backend(const yona::BackendOptions& /*options*/) {
  return std::make_unique<yona::CudaBackend>().release();
}
