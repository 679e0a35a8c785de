// Primitives of oneDNN 2.6 and 3.x. Each thread keeps its own call objects, so that nothing is
// shared or locked while kernels run; the machine code behind them is shared by oneDNN's own cache.

#include "yona/backend/cpu/onednn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <oneapi/dnnl/dnnl.hpp>

#include "yona/backend/cpu/scratch.h"
#include "yona/base/error.h"
#include "yona/base/random.h"

// Of whichever OpenMP runtime oneDNN brought along; null when it was built without one.
extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] void omp_set_num_threads(int threads);
}

namespace yona::cpu {

namespace {

using dnnl::memory;

class OneThread {
 public:
  OneThread() {
    if (omp_get_max_threads != nullptr && omp_set_num_threads != nullptr) {
      before_ = omp_get_max_threads();
      omp_set_num_threads(1);
    }
  }
  ~OneThread() {
    if (before_ > 1) {
      omp_set_num_threads(before_);
    }
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 1;
};

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

memory::desc matrix(std::int64_t rows, std::int64_t cols, std::int64_t stride, bool transposed,
                    DType dtype) {
  const memory::dims strides =
      transposed ? memory::dims{1, stride} : memory::dims{stride, std::int64_t{1}};
  return {memory::dims{rows, cols},
          dtype == DType::bf16 ? memory::data_type::bf16 : memory::data_type::f32, strides};
}

dnnl::primitive_attr attributes(const ProductShape& shape) {
  dnnl::post_ops after;
  if (shape.accumulate) {
    after.append_sum(1.0F);
  }
  if (shape.activation == Activation::relu) {
#if DNNL_VERSION_MAJOR >= 3
    after.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
#else
    after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
#endif
  }
  dnnl::primitive_attr attr;
  attr.set_post_ops(after);
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::matmul::primitive_desc describe(const ProductShape& shape) {
  const memory::desc a = matrix(shape.m, shape.k, shape.lda, shape.transpose_a, shape.operands);
  const memory::desc b = matrix(shape.k, shape.n, shape.ldb, shape.transpose_b, shape.operands);
  const memory::desc c = matrix(shape.m, shape.n, shape.ldc, false, DType::f32);
  const memory::desc bias =
      shape.bias ? matrix(1, shape.n, shape.n, false, DType::f32) : memory::desc();
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), a, b, bias, c, attributes(shape)};
#else
  return {dnnl::matmul::desc(a, b, bias, c), attributes(shape), engine()};
#endif
}

// A primitive with its argument list, of which only the addresses change from call to call.
class Call {
 public:
  explicit Call(const ProductShape& shape) : Call(describe(shape)) {}

  void operator()(const ProductData& data, void* scratch, dnnl::stream& stream) {
    // oneDNN's interface is not const-correct; operands are only read.
    const std::array<const void*, 5> addresses = {data.a, data.b, data.c, scratch, data.bias};
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (memories_[i].get(true) != nullptr) {
        memories_[i].set_data_handle(const_cast<void*>(addresses[i]));  // NOLINT(*-const-cast)
      }
    }
    const int count = data.bias != nullptr ? 5 : 4;
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive_.get(), stream.get(), count, arguments_.data());
    check<DeviceError>(status == dnnl_success, "matmul: oneDNN failed with status {}",
                       static_cast<int>(status));
  }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

 private:
  explicit Call(const dnnl::matmul::primitive_desc& description)
      : primitive_(description), scratch_bytes_(description.scratchpad_desc().get_size()) {
    const std::array<memory::desc, 5> descriptions = {
        description.src_desc(), description.weights_desc(), description.dst_desc(),
        description.scratchpad_desc(), description.bias_desc()};
    constexpr std::array<int, 5> kNames = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
                                           DNNL_ARG_SCRATCHPAD, DNNL_ARG_BIAS};
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (descriptions[i].get_size() != 0 || kNames[i] == DNNL_ARG_SCRATCHPAD) {
        memories_[i] = memory(descriptions[i], engine(), DNNL_MEMORY_NONE);
      }
      arguments_[i] = {kNames[i], memories_[i].get(true)};
    }
  }

  dnnl::matmul primitive_;
  std::size_t scratch_bytes_;
  std::array<memory, 5> memories_;
  std::array<dnnl_exec_arg_t, 5> arguments_{};
};

struct HashShape {
  std::size_t operator()(const ProductShape& shape) const {
    const std::uint64_t flags = (shape.transpose_a ? 1U : 0U) + (shape.transpose_b ? 2U : 0U) +
                                (shape.accumulate ? 4U : 0U) + (shape.bias ? 8U : 0U) +
                                (shape.activation == Activation::relu ? 16U : 0U) +
                                (shape.operands == DType::bf16 ? 32U : 0U);
    std::uint64_t hash = flags;
    for (const std::int64_t each : {shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc}) {
      hash = mix(hash, static_cast<std::uint64_t>(each));
    }
    return hash;
  }
};

Call& call_of(const ProductShape& shape) {
  constexpr std::size_t kMostKept = 1024;  // as many as oneDNN keeps
  thread_local std::unordered_map<ProductShape, Call, HashShape> kept;
  auto found = kept.find(shape);
  if (found == kept.end()) {
    if (kept.size() >= kMostKept) {
      kept.clear();
    }
    found = kept.emplace(shape, Call(shape)).first;
  }
  return found->second;
}

}  // namespace

void run_primitive(const ProductShape& shape, const ProductData& data) {
  const OneThread one_thread;
  thread_local dnnl::stream stream(engine());
  thread_local Scratch<std::byte> scratch;
  try {
    Call& call = call_of(shape);
    call(data, scratch.get(call.scratch_bytes()), stream);
  } catch (const dnnl::error& error) {
    fail<DeviceError>("matmul: oneDNN cannot multiply {}×{} by {}×{} of {}: {}", shape.m, shape.k,
                      shape.k, shape.n, shape.operands, error.what());
  }
}

void run_sgemm(const ProductShape& shape, const ProductData& data) {
  const OneThread one_thread;
  const dnnl_status_t status = dnnl_sgemm(
      shape.transpose_a ? 'T' : 'N', shape.transpose_b ? 'T' : 'N', shape.m, shape.n, shape.k, 1.0F,
      static_cast<const float*>(data.a), shape.lda, static_cast<const float*>(data.b), shape.ldb,
      shape.accumulate ? 1.0F : 0.0F, data.c, shape.ldc);
  check<DeviceError>(status == dnnl_success, "matmul: oneDNN failed with status {}",
                     static_cast<int>(status));
  if (data.bias == nullptr && shape.activation == Activation::none) {
    return;
  }
  const float least = shape.activation == Activation::relu ? 0.0F : -INFINITY;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    float* row = data.c + i * shape.ldc;
    for (std::int64_t j = 0; j < shape.n; ++j) {
      row[j] = std::max(row[j] + (data.bias != nullptr ? data.bias[j] : 0.0F), least);
    }
  }
}

bool onednn_has_bf16() {
  static const bool has = [] {
    try {
      const OneThread one_thread;
      describe(
          {.m = 16, .n = 16, .k = 16, .lda = 16, .ldb = 16, .ldc = 16, .operands = DType::bf16});
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }();
  return has;
}

}  // namespace yona::cpu
