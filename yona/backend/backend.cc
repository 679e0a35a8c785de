// Backends by name; loads libyona_cuda.so.

#include "yona/backend/backend.h"

#include <cstring>
#include <dlfcn.h>
#include <vector>

#include "yona/backend/attention_decisions.h"
#include "yona/backend/host_backend.h"
#include "yona/backend/registration.h"
#include "yona/base/error.h"

namespace yona {

namespace {

class Zeros : public Readback {
 public:
  void start(const void* /*from*/, std::int64_t bytes) override {
    values_.assign(static_cast<std::size_t>(bytes), 0);
  }
  const void* wait() override { return values_.data(); }

 private:
  std::vector<char> values_;
};

// Where a GPU is planned for, it is an H200 (or an H100 with as many multiprocessors): others group
// gradients of weights otherwise, and hold a little more or less at a time.
constexpr std::int64_t kTilesOfHopper = 132;

// Plans memory: returns addresses that must not be accessed; downloads read zeros.
class MetaBackend : public HostBackend {
 public:
  explicit MetaBackend(Device planned)
      : HostBackend("meta", reference_kernels(), {.threads = 1}), planned_(planned) {
    exec().device = Device::meta;
    exec().dry_run = true;
  }
  Device device() const override { return Device::meta; }
  Device planned_device() const override { return planned_; }
  std::int64_t weight_gradient_tiles() const override {
    return planned_ == Device::cuda ? kTilesOfHopper : 0;
  }
  std::int64_t keep_mask_bytes(const AttentionArgs& args) const override {
    return planned_ == Device::cuda ? attention_keep_mask_bytes(args) : 0;
  }
  void* reserve(std::int64_t /*bytes*/) override {
    return reinterpret_cast<void*>(std::uintptr_t{1} << 46U);  // never dereferenced
  }
  void release(void* /*memory*/, std::int64_t /*bytes*/) noexcept override {}
  std::int64_t memory_bytes() const override { return std::int64_t{1} << 46U; }
  void upload(void* /*to*/, const void* /*from*/, std::int64_t /*bytes*/) override {}
  void download(void* to, const void* /*from*/, std::int64_t bytes) override {
    std::memset(to, 0, static_cast<std::size_t>(bytes));
  }
  std::unique_ptr<Readback> make_readback() override { return std::make_unique<Zeros>(); }

 private:
  Device planned_;
};

// The library exports one function, which throws DeviceError where there is no usable GPU.
using MakeCudaBackend = Backend* (*)(const BackendOptions&);

MakeCudaBackend find_cuda_backend() {
  void* library = dlopen("libyona_cuda.so", RTLD_NOW | RTLD_LOCAL);
  check<DeviceError>(library != nullptr,
                     "cuda: this build has no GPU library (libyona_cuda.so): build with a CUDA "
                     "toolkit installed, or use --device cpu");
  void* symbol = dlsym(library, "yona_make_cuda_backend");
  check<DeviceError>(symbol != nullptr,
                     "cuda: libyona_cuda.so does not belong to this version of yona: install both "
                     "from one build");
  return reinterpret_cast<MakeCudaBackend>(symbol);
}

}  // namespace

void missing_kernel(std::string_view name, const Exec& exec) {
  fail<NotImplemented>("{}: there is no kernel for it in the {} backend (device {})", name,
                       exec.backend, exec.device);
}

std::unique_ptr<Backend> make_backend(std::string_view name, BackendOptions options) {
  if (name == "cpu") {
    return std::make_unique<HostBackend>("cpu", cpu_kernels(), options);
  }
  if (name == "reference") {
    return std::make_unique<HostBackend>("reference", reference_kernels(), options);
  }
  if (name == "meta") {
    return std::make_unique<MetaBackend>(options.planned);
  }
  if (name == "cuda") {
    return std::unique_ptr<Backend>(find_cuda_backend()(options));
  }
  fail("device: '{}' is unknown; use cpu or cuda", name);
}

}  // namespace yona
