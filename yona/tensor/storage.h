// Storage: the memory behind one or more tensors, counted by reference, and with it the gradient.
//
// A gradient belongs to the storage and has its layout: the gradient of a view is the same view of
// the storage's gradient. So slices (Q, K and V of one product) need no ops of their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "yona/base/dtype.h"

namespace yona {

class BiasGradient;
class PackedWeights;
class QuantisedWeights;
class Region;
struct Storage;

class StoragePtr {
 public:
  StoragePtr() = default;
  explicit StoragePtr(Storage* storage);  // takes one more reference
  StoragePtr(const StoragePtr& other) : StoragePtr(other.storage_) {}
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() { release(); }

  Storage* operator->() const { return storage_; }
  Storage& operator*() const { return *storage_; }
  Storage* get() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  void release() noexcept;
  Storage* storage_ = nullptr;
};

struct Storage {
  void* data = nullptr;
  std::int64_t bytes = 0;
  Region* region = nullptr;
  std::int64_t begin = 0;  // offset in the region
  bool requires_gradient = false;
  bool discarded = false;  // its memory has been given back: see Region::discard()
  StoragePtr gradient;
  BiasGradient* bias_gradient = nullptr;  // who adds up the gradient's rows
  StoragePtr rounded;                     // a copy in bf16 or f16 (see operand.h)
  DType rounded_type = DType::bf16;
  bool rounded_stale = false;             // the copy is older than the values
  PackedWeights* packed = nullptr;        // who may have put parts of it in another order
  QuantisedWeights* quantised = nullptr;  // who has matrices of it in bytes
  std::atomic<int> references{0};
};

}  // namespace yona
