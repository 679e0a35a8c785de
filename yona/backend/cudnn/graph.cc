#include "yona/backend/cudnn/graph.h"

#include <algorithm>

namespace yona::cudnn {

Tensor Graph::add(Kind kind, cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets) {
  const auto number = static_cast<Tensor>(tensors_.size());
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type)
      .set_all(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64,
               std::span<const std::int64_t>(layout.extents))
      .set_all(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64,
               std::span<const std::int64_t>(layout.strides))
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, number + 1)  // cuDNN's numbers begin with 1
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16})
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, kind == Kind::intermediate)
      .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, kind == Kind::scalar);
  if (offsets) {
    tensor.set(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, at(*offsets));
  }
  tensor.finalize("describing a tensor");
  tensors_.push_back(std::move(tensor));
  layouts_.push_back(layout);
  return number;
}

Tensor Graph::in_memory(cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets) {
  return add(Kind::memory, type, layout, offsets);
}

Tensor Graph::scalar() { return add(Kind::scalar, CUDNN_DATA_FLOAT, packed({1, 1, 1, 1}), {}); }

Tensor Graph::intermediate(cudnnDataType_t type, const Layout4& layout, MaybeTensor offsets) {
  return add(Kind::intermediate, type, layout, offsets);
}

Tensor Graph::pointwise(cudnnPointwiseMode_t mode, const Pointwise& operands) {
  Descriptor function(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  function.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode)
      .set(CUDNN_ATTR_POINTWISE_MATH_PREC, operands.arithmetic);
  if (operands.axis >= 0) {
    function.set(CUDNN_ATTR_POINTWISE_AXIS, operands.axis);
  }
  function.finalize("describing a function");
  const Tensor out = operands.out
                         ? *operands.out
                         : intermediate(operands.result, packed(layout(operands.x).extents));
  Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, function)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(operands.x))
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(out));
  if (operands.b) {
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(*operands.b));
  }
  if (operands.t) {
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, at(*operands.t));
  }
  operation.set(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, CUDNN_TYPE_FLOAT, 1.0F)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, CUDNN_TYPE_FLOAT, 1.0F)
      .finalize("describing a pointwise operation");
  operations_.push_back(std::move(operation));
  return out;
}

void Graph::matmul(Tensor a, Tensor b, Tensor out, const Sizes& sizes) {
  Descriptor product(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  product.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).finalize("describing a product");
  Descriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, at(a))
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, at(b))
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, at(out))
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, product);
  if (sizes.m) {
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, at(*sizes.m));
  }
  if (sizes.n) {
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, at(*sizes.n));
  }
  if (sizes.k) {
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, at(*sizes.k));
  }
  operation.finalize("describing a matrix product");
  operations_.push_back(std::move(operation));
}

void Graph::reduce(cudnnReduceTensorOp_t op, Tensor x, Tensor out) {
  Descriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  reduction.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op)
      .finalize("describing a sum");
  Descriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction)
      .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, at(out))
      .finalize("describing a reduction");
  operations_.push_back(std::move(operation));
}

void Graph::reshape(Tensor x, Tensor out) {
  Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, at(x))
      .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, at(out))
      .finalize("describing a transposition");
  operations_.push_back(std::move(operation));
}

namespace {

template <class T>
std::vector<T> get_all(const Descriptor& from, cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type, std::int64_t at_most) {
  std::vector<T> values(static_cast<std::size_t>(at_most));
  std::int64_t count = 0;
  check_cudnn(cudnnBackendGetAttribute(from.get(), name, type, at_most, &count, values.data()),
              "reading an attribute");
  values.resize(static_cast<std::size_t>(std::min(count, at_most)));
  return values;
}

// Does the engine of a configuration say that its results may differ from run to run?
bool is_deterministic(const Descriptor& config) {
  const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t place = engine.get();
  std::int64_t count = 0;
  check_cudnn(cudnnBackendGetAttribute(config.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &place),
              "reading an engine");
  const auto notes = get_all<cudnnBackendNumericalNote_t>(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                          CUDNN_TYPE_NUMERICAL_NOTE,
                                                          CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return std::find(notes.begin(), notes.end(), CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) ==
         notes.end();
}

constexpr std::int64_t kMostConfigs = 8;

}  // namespace

Plan::Plan(const Graph& graph, cudnnHandle_t handle, Determinism determinism) {
  std::vector<cudnnBackendDescriptor_t> operations;
  for (const Descriptor& operation : graph.operations()) {
    operations.push_back(operation.get());
  }
  Descriptor operation_graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  operation_graph
      .set_all(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
               std::span<const cudnnBackendDescriptor_t>(operations))
      .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle)
      .finalize("joining the operations of a graph");
  Descriptor ranking(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  ranking.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operation_graph)
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
  if (cudnnBackendFinalize(ranking.get()) != CUDNN_STATUS_SUCCESS) {
    return;
  }
  std::deque<Descriptor> configs;
  std::vector<cudnnBackendDescriptor_t> places;
  for (std::int64_t i = 0; i < kMostConfigs; ++i) {
    places.push_back(configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  }
  std::int64_t found = 0;
  check_cudnn(
      cudnnBackendGetAttribute(ranking.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                               CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostConfigs, &found, places.data()),
      "ranking engines");
  for (std::int64_t i = 0; i < std::min(found, kMostConfigs) && !plan_; ++i) {
    const Descriptor& config = configs[static_cast<std::size_t>(i)];
    if (determinism == Determinism::required && !is_deterministic(config)) {
      continue;
    }
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    if (cudnnBackendFinalize(plan.get()) == CUDNN_STATUS_SUCCESS) {
      workspace_bytes_ =
          get_all<std::int64_t>(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1)
              .at(0);
      plan_.emplace(std::move(plan));
    }
  }
}

void Plan::run(cudnnHandle_t handle, std::span<const Binding> bindings, void* workspace) const {
  std::vector<std::int64_t> numbers;
  std::vector<void*> addresses;
  for (const Binding& binding : bindings) {
    numbers.push_back(binding.tensor + 1);
    addresses.push_back(binding.address);
  }
  Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set_all(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
               std::span<const std::int64_t>(numbers))
      .set_all(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
               std::span<void* const>(addresses))
      .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace)
      .finalize("binding memory");
  check_cudnn(cudnnBackendExecute(handle, plan_->get(), pack.get()), "attention");
}

}  // namespace yona::cudnn
