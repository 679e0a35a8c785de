// A graph of operations for cuDNN, and the plan that it makes of one. Tensors have four extents:
// sequences, heads, rows, columns.
//
//   Graph graph;
//   const Tensor x = graph.in_memory(CUDNN_DATA_BFLOAT16, layout);
//   const Tensor y = graph.pointwise(CUDNN_POINTWISE_EXP, {.x = x});
//   const Plan plan(graph, handle, Determinism::required);
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "yona/backend/cudnn/descriptor.h"

namespace yona::cudnn {

using Extents = std::array<std::int64_t, 4>;

struct Layout4 {
  Extents extents{};
  Extents strides{};
};

// Row-major.
inline Layout4 packed(const Extents& e) { return {e, {e[1] * e[2] * e[3], e[2] * e[3], e[3], 1}}; }

// The same elements with rows and columns exchanged.
inline Layout4 transposed(const Layout4& layout) {
  const Extents& e = layout.extents;
  const Extents& s = layout.strides;
  return {{e[0], e[1], e[3], e[2]}, {s[0], s[1], s[3], s[2]}};
}

// The number of a tensor of a graph.
using Tensor = std::int64_t;
using MaybeTensor = std::optional<Tensor>;

class Graph {
 public:
  struct Pointwise {
    Tensor x = 0;
    MaybeTensor b{};  // the second operand
    MaybeTensor t{};  // what selects x where it is true, and b elsewhere
    cudnnDataType_t arithmetic = CUDNN_DATA_FLOAT;
    cudnnDataType_t result = CUDNN_DATA_FLOAT;
    std::int64_t axis = -1;  // of CUDNN_POINTWISE_GEN_INDEX
    MaybeTensor out{};       // else an intermediate tensor like x
  };
  // Numbers of rows, columns and products that each sequence has, where they differ.
  struct Sizes {
    MaybeTensor m{}, n{}, k{};
  };

  // A tensor of memory, which is bound when the plan runs; its sequences begin at `offsets`, in
  // elements, if there are any.
  Tensor in_memory(cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets = {});
  // An f32 that is bound by its address on the host.
  Tensor scalar();
  // A tensor that exists inside kernels only.
  Tensor intermediate(cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets = {});

  Tensor pointwise(cudnnPointwiseMode_t mode, const Pointwise& operands);
  void matmul(Tensor a, Tensor b, Tensor out, const Sizes& sizes);
  void reduce(cudnnReduceTensorOp_t op, Tensor x, Tensor out);
  void reshape(Tensor x, Tensor out);

  const Layout4& layout(Tensor tensor) const { return layouts_[static_cast<std::size_t>(tensor)]; }
  const std::deque<Descriptor>& operations() const { return operations_; }

 private:
  enum class Kind { memory, scalar, intermediate };
  Tensor add(Kind kind, cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets);
  const Descriptor& at(Tensor tensor) const { return tensors_[static_cast<std::size_t>(tensor)]; }

  std::deque<Descriptor> tensors_;
  std::vector<Layout4> layouts_;
  std::deque<Descriptor> operations_;
};

enum class Determinism { any, required };

// The first engine of cuDNN's own ranking that takes the graph.
class Plan {
 public:
  Plan(const Graph& graph, cudnnHandle_t handle, Determinism determinism);

  bool is_supported() const { return plan_.has_value(); }
  std::int64_t workspace_bytes() const { return workspace_bytes_; }
  // Binds tensors to addresses and starts the plan in the handle's stream.
  struct Binding {
    Tensor tensor;
    void* address;
  };
  void run(cudnnHandle_t handle, std::span<const Binding> bindings, void* workspace) const;

 private:
  std::optional<Descriptor> plan_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace yona::cudnn
