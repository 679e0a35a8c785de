// Host memory is reserved as address space and backed page by page on first touch, in huge pages
// where the system has them.

#include "yona/backend/host_backend.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "yona/backend/cpu/features.h"
#include "yona/base/error.h"

namespace yona {

HostBackend::HostBackend(std::string_view name, const Kernels& kernels,
                         const BackendOptions& options)
    : kernels_(kernels), pool_(options.threads, options.first_cpu) {
  exec_.device = Device::cpu;
  exec_.backend = name;
  exec_.pool = &pool_;
}

void* HostBackend::reserve(std::int64_t bytes) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check<DeviceError>(memory != MAP_FAILED, "cpu: cannot reserve {:.1f} GB of memory: {}",
                     static_cast<double>(bytes) / 1e9, std::strerror(errno));
  madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // only a hint
  return memory;
}

void HostBackend::release(void* memory, std::int64_t bytes) noexcept {
  munmap(memory, static_cast<std::size_t>(bytes));
}

bool HostBackend::has_bf16() const { return cpu_has_bf16(); }

std::int64_t HostBackend::memory_bytes() const {
  std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::int64_t limit = 0;
    if (file >> limit && limit > 0 && limit < bytes) {
      bytes = limit;
    }
  }
  return bytes;
}

void HostBackend::upload(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

void HostBackend::download(void* to, const void* from, std::int64_t bytes) {
  upload(to, from, bytes);
}

}  // namespace yona
