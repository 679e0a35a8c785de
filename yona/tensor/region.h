// Region: the memory of a step. One reserved range, cut into blocks that are given back as soon as
// the last tensor on them is gone; after the first steps it neither asks the system for memory nor
// calls malloc. Its high-water mark is the memory that a step needs: a step run on the meta
// backend tells it in advance.
//
// A bump pointer would be simpler, but the backward pass frees saved activations while it makes
// gradients, and reusing those blocks is worth a third of the peak (docs/memory.md).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "yona/tensor/storage.h"

namespace yona {

class Backend;

class Region {
 public:
  // capacity 0: as much address space as the device has memory.
  explicit Region(Backend& backend, std::int64_t capacity = 0);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // A storage of at least `bytes`, 64-byte aligned, not initialised. Throws DeviceError when the
  // region is full, naming what was asked for and what there is.
  StoragePtr allocate(std::int64_t bytes);

  // Gives the memory of a storage back while it lives on for its gradient: its values are lost.
  void discard(Storage& storage) noexcept;

  std::int64_t in_use() const { return in_use_; }
  std::int64_t peak() const { return peak_; }  // highest address reached: what a step touches
  Backend& backend() const { return backend_; }

 private:
  friend class StoragePtr;
  struct Block {
    std::int64_t begin, size;
  };

  std::int64_t take(std::int64_t size);  // first fit; returns the offset
  void give_back(std::int64_t begin, std::int64_t size);
  void recycle(Storage& storage) noexcept;

  Backend& backend_;
  std::int64_t capacity_;
  char* base_;
  std::vector<Block> free_;  // by address, neighbours merged
  std::deque<Storage> storages_;
  std::vector<Storage*> spare_;
  std::int64_t in_use_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace yona
