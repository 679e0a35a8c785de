// What the tests of CUDA kernels share: matrices that exist twice, in f32 on the host for the
// reference and in f32, bf16 or f16 on the device, and the comparison of what the two kernels made
// of them. Ops have their own tests on every backend (tests/tensor/ops); here are the types and
// sizes that those do not reach.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "yona/backend/registration.h"
#include "yona/tensor/tensor.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {

// Relative to the largest element: f32 sums in another order; bf16 results, rounded to 2⁻⁹, of sums
// of terms that may have been rounded once more on their way.
inline constexpr double kCudaF32 = 2e-5;
inline constexpr double kCudaBf16 = 1e-2;

inline double tolerance_of(DType dtype) { return dtype == DType::f32 ? kCudaF32 : kCudaBf16; }

// The f16 next to a number of at most 65504, towards zero; numbers below 2⁻¹⁴ become zero.
inline std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t size = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t kSmallest = (127U - 14U) << 23U;
  const std::uint32_t half = size < kSmallest ? 0 : (size >> 13U) - ((127U - 15U) << 10U);
  return static_cast<std::uint16_t>((bits >> 31U) << 15U | half);
}

// Skips the test, with a message, where there is no GPU.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_cuda()) {
      GTEST_SKIP() << "no GPU";
    }
  }
  static Backend& cuda() { return shared_backend("cuda"); }
  static Backend& reference() { return shared_backend("reference"); }
  static Region& device_region() {
    static Region region(cuda(), std::int64_t{1} << 30U);
    return region;
  }
  static Region& host_region() {
    static Region region(reference(), std::int64_t{1} << 30U);
    return region;
  }

  // A matrix on both sides, equal: values are rounded to the device's type first.
  struct Both {
    Both() = default;
    Both(std::int64_t rows, std::int64_t cols, DType dtype, std::uint64_t seed, double low = -1.0,
         double high = 1.0)
        : Both(rows, cols, dtype, random_values(rows * cols, seed, low, high)) {}
    Both(std::int64_t rows, std::int64_t cols, DType dtype, const std::vector<double>& values)
        : host(host_region(), DType::f32, Shape{rows, cols}),
          device(device_region(), dtype, Shape{rows, cols}) {
      set(values);
    }
    void set(const std::vector<double>& values) const {
      std::vector<float> floats(values.begin(), values.end());
      if (device.dtype() != DType::f32) {
        const bool is_bf16 = device.dtype() == DType::bf16;
        std::vector<std::uint16_t> halves(floats.size());
        for (std::size_t i = 0; i < floats.size(); ++i) {
          halves[i] = is_bf16 ? to_bf16(floats[i]) : to_f16(floats[i]);
          floats[i] = from_half(halves[i]);
        }
        device.upload(halves);
      } else {
        device.upload(floats);
      }
      host.upload(floats);
    }
    std::vector<double> device_values() const {
      if (device.dtype() == DType::f32) {
        return values_of(device);
      }
      std::vector<std::uint16_t> halves(static_cast<std::size_t>(device.elements()));
      device.download_bytes(halves.data());
      std::vector<double> values(halves.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(from_half(halves[i]));
      }
      return values;
    }
    void expect_equal(const std::string& what, double tolerance) const {
      expect_near(device_values(), values_of(host), tolerance, what);
    }
    void expect_equal(const std::string& what) const {
      expect_equal(what, tolerance_of(device.dtype()));
    }
    View view(bool on_device) const { return on_device ? device.view() : host.view(); }
    float from_half(std::uint16_t half) const {
      return device.dtype() == DType::bf16 ? from_bf16(half) : from_f16(half);
    }

    Tensor host, device;
  };

  // A list of numbers on both sides.
  template <class T>
  struct Numbers {
    explicit Numbers(const std::vector<T>& values)
        : host(host_region(), dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())}),
          device(device_region(), dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())}) {
      host.upload(values);
      device.upload(values);
    }
    const T* data(bool on_device) const { return (on_device ? device : host).template data<T>(); }
    const std::uint64_t* keys(bool on_device) const {
      return reinterpret_cast<const std::uint64_t*>(data(on_device));
    }
    Tensor host, device;
  };

  static Numbers<std::int64_t> row_keys(std::int64_t rows) {
    std::vector<std::int64_t> keys(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = static_cast<std::int64_t>(mix(i / 7, i % 7));
    }
    return Numbers<std::int64_t>(keys);
  }

  // Runs the kernel on both sides with args(on_device).
  template <class Args, class MakeArgs>
  static void run(Kernel<Args> Kernels::*kernel, const MakeArgs& args) {
    (reference().kernels().*kernel)(args(false), reference().exec());
    (cuda().kernels().*kernel)(args(true), cuda().exec());
  }
};

}  // namespace yona::testing
