// A descriptor of cuDNN's graph API: an object with attributes that is finalized before use.
#pragma once

#include <cstdint>
#include <cudnn.h>
#include <span>

#include "yona/base/error.h"

namespace yona::cudnn {

inline void check_cudnn(cudnnStatus_t status, const char* operation) {
  check<DeviceError>(status == CUDNN_STATUS_SUCCESS, "cudnn: {} failed: {}", operation,
                     cudnnGetErrorString(status));
}

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check_cudnn(cudnnBackendCreateDescriptor(type, &descriptor_), "creating a descriptor");
  }
  ~Descriptor() {
    if (descriptor_ != nullptr) {
      cudnnBackendDestroyDescriptor(descriptor_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.descriptor_) {
    other.descriptor_ = nullptr;
  }
  Descriptor& operator=(Descriptor&&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <class T>
  Descriptor& set_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                      std::span<const T> values) {
    check_cudnn(cudnnBackendSetAttribute(descriptor_, name, type,
                                         static_cast<std::int64_t>(values.size()), values.data()),
                "setting an attribute");
    return *this;
  }
  template <class T>
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T value) {
    return set_all(name, type, std::span<const T>(&value, 1));
  }
  Descriptor& set(cudnnBackendAttributeName_t name, std::int64_t value) {
    return set(name, CUDNN_TYPE_INT64, value);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    return set(name, CUDNN_TYPE_DATA_TYPE, value);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& value) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.descriptor_);
  }
  void finalize(const char* what) { check_cudnn(cudnnBackendFinalize(descriptor_), what); }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

}  // namespace yona::cudnn
