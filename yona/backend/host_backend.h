// What the backends in host memory share: the pool, reserved memory, plain copies.
#pragma once

#include "yona/backend/backend.h"

namespace yona {

class HostBackend : public Backend {
 public:
  HostBackend(std::string_view name, const Kernels& kernels, const BackendOptions& options);

  Device device() const override { return Device::cpu; }
  const Kernels& kernels() const override { return kernels_; }
  Exec& exec() override { return exec_; }
  void* reserve(std::int64_t bytes) override;
  void commit(void* memory, std::int64_t bytes) override;
  void release(void* memory, std::int64_t bytes) noexcept override;
  bool has_bf16() const override;
  std::int64_t memory_bytes() const override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void synchronize() override {}

 private:
  const Kernels& kernels_;
  ThreadPool pool_;
  Exec exec_;
};

}  // namespace yona
