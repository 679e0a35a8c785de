// First fit over free blocks kept in order of address: a step's tensors live and die like a stack,
// so the list stays short and fragmentation small.

#include "yona/tensor/region.h"

#include <algorithm>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/memory_limit.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(0)
#endif

namespace yona {

namespace {

constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kBlockGap = 64;  // between blocks; lets the address sanitizer see overruns

}  // namespace

StoragePtr::StoragePtr(Storage* storage) : storage_(storage) {
  if (storage_ != nullptr) {
    storage_->references.fetch_add(1, std::memory_order_relaxed);
  }
}

void StoragePtr::release() noexcept {
  if (storage_ != nullptr && storage_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    storage_->region->recycle(*storage_);
  }
  storage_ = nullptr;
}

Region::Region(Backend& backend, std::int64_t capacity)
    : backend_(backend), capacity_(capacity > 0 ? capacity : backend.memory_bytes()) {
  base_ = static_cast<char*>(backend_.reserve(capacity_));
  free_.reserve(1024);
  free_.push_back({0, capacity_});
  if (backend_.on_host()) {
    ASAN_POISON_MEMORY_REGION(base_, static_cast<std::size_t>(capacity_));
  }
}

Region::~Region() {
  if (backend_.on_host()) {
    ASAN_UNPOISON_MEMORY_REGION(base_, static_cast<std::size_t>(capacity_));
  }
  backend_.release(base_, capacity_);
}

StoragePtr Region::allocate(std::int64_t bytes) {
  const std::int64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment + kBlockGap;
  const std::int64_t begin = take(size);
  if (begin + size > peak_) {
    try {
      backend_.commit(base_, begin + size);
    } catch (...) {
      give_back(begin, size);
      throw;
    }
    peak_ = begin + size;
  }
  if (spare_.empty()) {
    spare_.reserve(storages_.size() + 1);
    spare_.push_back(&storages_.emplace_back());
  }
  Storage* storage = spare_.back();
  spare_.pop_back();
  storage->data = base_ + begin;
  storage->bytes = bytes;
  storage->region = this;
  storage->begin = begin;
  storage->requires_gradient = false;
  storage->discarded = false;
  storage->packed = nullptr;
  storage->quantised = nullptr;
  if (backend_.on_host()) {
    ASAN_UNPOISON_MEMORY_REGION(storage->data, static_cast<std::size_t>(bytes));
  }
  in_use_ += size;
  return StoragePtr(storage);
}

std::int64_t Region::take(std::int64_t size) {
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (block->size >= size) {
      const std::int64_t begin = block->begin;
      block->begin += size;
      block->size -= size;
      if (block->size == 0) {
        free_.erase(block);
      }
      return begin;
    }
  }
  fail<DeviceError>(
      "{}: out of memory: a tensor of {} does not fit, {} of {} are in use{}; use a smaller "
      "--batch-tokens or model",
      backend_.device(), short_bytes(size), short_bytes(in_use_), short_bytes(capacity_),
      backend_.on_host() ? memory_limit_note() : "");
}

void Region::give_back(std::int64_t begin, std::int64_t size) {
  auto next =
      std::lower_bound(free_.begin(), free_.end(), begin,
                       [](const Block& block, std::int64_t at) { return block.begin < at; });
  if (next != free_.begin() && std::prev(next)->begin + std::prev(next)->size == begin) {
    auto previous = std::prev(next);
    previous->size += size;
    if (next != free_.end() && previous->begin + previous->size == next->begin) {
      previous->size += next->size;
      free_.erase(next);
    }
  } else if (next != free_.end() && begin + size == next->begin) {
    next->begin = begin;
    next->size += size;
  } else {
    free_.insert(next, {begin, size});
  }
}

void Region::discard(Storage& storage) noexcept {
  if (storage.discarded) {
    return;
  }
  storage.discarded = true;
  if (backend_.on_host()) {
    ASAN_POISON_MEMORY_REGION(storage.data, static_cast<std::size_t>(storage.bytes));
  }
  const std::int64_t size = (storage.bytes + kAlignment - 1) / kAlignment * kAlignment + kBlockGap;
  give_back(storage.begin, size);
  in_use_ -= size;
}

void Region::recycle(Storage& storage) noexcept {
  storage.gradient = StoragePtr();
  storage.rounded = StoragePtr();
  storage.rounded_stale = false;
  discard(storage);
  spare_.push_back(&storage);
}

}  // namespace yona
