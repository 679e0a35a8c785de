#include "yona/backend/host_backend.h"

#include <cstring>

#include "yona/backend/cpu/features.h"
#include "yona/backend/host_memory.h"
#include "yona/base/memory_limit.h"

namespace yona {

HostBackend::HostBackend(std::string_view name, const Kernels& kernels,
                         const BackendOptions& options)
    : kernels_(kernels), pool_(options.threads, options.first_cpu) {
  exec_.device = Device::cpu;
  exec_.backend = name;
  exec_.pool = &pool_;
}

void* HostBackend::reserve(std::int64_t bytes) { return reserve_host_memory(bytes); }

void HostBackend::commit(void* memory, std::int64_t bytes) { commit_host_memory(memory, bytes); }

void HostBackend::release(void* memory, std::int64_t /*bytes*/) noexcept {
  release_host_memory(memory);
}

bool HostBackend::has_bf16() const { return cpu_has_bf16(); }

std::int64_t HostBackend::memory_bytes() const { return memory_limit().bytes; }

void HostBackend::upload(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

void HostBackend::download(void* to, const void* from, std::int64_t bytes) {
  upload(to, from, bytes);
}

}  // namespace yona
