#include "yona/backend/host_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <sys/mman.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/memory_limit.h"

namespace yona {

namespace {

constexpr std::uintptr_t kPiece = 1U << 21U;  // a huge page

std::uintptr_t rounded_up(std::uintptr_t bytes) { return (bytes + kPiece - 1) / kPiece * kPiece; }

void* map(void* at, std::size_t bytes, int flags) {
  void* memory = mmap(at, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory != MAP_FAILED) {
    madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint
  }
  return memory;
}

// Everything that is reserved, for the whole process, which has one address space.
//
// Ranges that grow lie between the program's heap and the place where the system puts mappings by
// itself (from 2/3 of the lower half downwards, or from 1/3 upwards), which are terabytes apart.
class Ranges {
 public:
  void add_whole(void* memory, std::size_t size) {
    const std::lock_guard lock(mutex_);
    ranges_[address_of(memory)] = {size, size, 0};
  }

  // The beginning of a range that grows; null, with errno, where the system refuses.
  void* begin(std::size_t size) {
    const std::lock_guard lock(mutex_);
    for (std::uintptr_t at = kFirst; at + size <= kLast;) {
      if (const std::uintptr_t taken = end_of_what_is_in(at, size); taken > at) {
        at = taken;
        continue;
      }
      const std::size_t piece = std::min<std::size_t>(kPiece, size);
      if (void* memory = map_at(at, piece); memory != nullptr) {
        ranges_[at] = {size, piece, 0};
        return memory;
      }
      if (errno != EEXIST) {
        break;
      }
      at += kStep;  // something that is not ours
    }
    return nullptr;
  }

  // How many bytes more will be touched, in whole pieces, when the first `bytes` are. 0 for memory
  // of a definite size, which is not as much as there may be: its owner knows how much of it will
  // be touched, and checks that.
  std::size_t growth(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address_of(memory));
    return found == ranges_.end() || bytes <= found->second.used ||
                   found->second.size != static_cast<std::size_t>(memory_limit().bytes)
               ? 0
               : rounded_up(bytes) - found->second.used;
  }

  // False, with errno, where the system refuses.
  bool use(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address_of(memory));
    if (found == ranges_.end()) {
      return true;
    }
    Range& range = found->second;
    if (bytes > range.mapped) {
      const std::size_t size = std::min<std::size_t>(rounded_up(bytes), range.size);
      if (map_at(found->first + range.mapped, size - range.mapped) == nullptr) {
        return false;
      }
      range.mapped = size;
    }
    range.used = std::max<std::size_t>(range.used, rounded_up(bytes));
    return true;
  }

  void end(void* memory) {
    const std::lock_guard lock(mutex_);
    if (const auto found = ranges_.find(address_of(memory)); found != ranges_.end()) {
      munmap(memory, found->second.mapped);
      ranges_.erase(found);
    }
  }

 private:
  static constexpr std::uintptr_t kFirst = 0x1100'0000'0000;
  static constexpr std::uintptr_t kLast = 0x2800'0000'0000;
  static constexpr std::uintptr_t kStep = std::uintptr_t{1} << 30U;

  struct Range {
    std::size_t size = 0, mapped = 0, used = 0;
  };

  static std::uintptr_t address_of(void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory);
  }

  // The end of the last range that reaches into [at, at + size); 0 where there is none.
  std::uintptr_t end_of_what_is_in(std::uintptr_t at, std::size_t size) const {
    const auto after = ranges_.lower_bound(at + size);
    if (after == ranges_.begin()) {
      return 0;
    }
    const auto& [first, range] = *std::prev(after);
    const std::uintptr_t end = first + rounded_up(range.size);
    return end > at ? end : 0;
  }

  // Null, with errno, where something is mapped already or the system refuses.
  static void* map_at(std::uintptr_t address, std::size_t bytes) {
    void* wanted = reinterpret_cast<void*>(address);
    void* memory = map(wanted, bytes, MAP_FIXED_NOREPLACE);
    if (memory == MAP_FAILED) {
      return nullptr;
    }
    if (memory != wanted) {  // kernels before 4.17 take the address for a hint
      munmap(memory, bytes);
      errno = EEXIST;
      return nullptr;
    }
    return memory;
  }

  std::mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;
};

Ranges& ranges() {
  static Ranges all;
  return all;
}

[[noreturn]] void fail_to_get(std::int64_t bytes) {
  const int error = errno;
  const auto limit = address_limit();
  if (!limit) {
    fail<DeviceError>("cpu: out of memory: {} cannot be reserved: {}", short_bytes(bytes),
                      std::strerror(error));
  }
  fail<DeviceError>(
      "cpu: out of memory: a buffer needs {}, the limit ({}) is {} and {} are in use; raise it, or "
      "use a smaller --batch-tokens or model",
      short_bytes(bytes), limit->source, short_bytes(limit->bytes),
      short_bytes(address_space_in_use()));
}

}  // namespace

void check_group_limit(std::int64_t needed, const MemoryLimit& limit) {
  check<DeviceError>(needed <= limit.bytes,
                     "cpu: out of memory: {} are needed, the limit ({}) is {}; raise it, or use a "
                     "smaller --batch-tokens or model, or int8",
                     short_bytes(needed), limit.source, short_bytes(limit.bytes));
}

void* reserve_host_memory(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  void* memory = address_limit() ? MAP_FAILED : map(nullptr, size, 0);
  if (memory != MAP_FAILED) {
    ranges().add_whole(memory, size);
    return memory;
  }
  memory = ranges().begin(size);
  if (memory == nullptr) {
    fail_to_get(address_limit() ? std::min<std::int64_t>(bytes, kPiece) : bytes);
  }
  return memory;
}

void commit_host_memory(void* memory, std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (const std::size_t growth = ranges().growth(memory, size); growth > 0) {
    if (const auto limit = group_memory_limit()) {
      check_group_limit(private_memory_in_use() + static_cast<std::int64_t>(growth), *limit);
    }
  }
  if (!ranges().use(memory, size)) {
    fail_to_get(bytes);
  }
}

void release_host_memory(void* memory) noexcept { ranges().end(memory); }

}  // namespace yona
