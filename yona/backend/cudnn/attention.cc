// The graphs of attention, as cuDNN recognises them for its fused kernels.

#include "yona/backend/cudnn/attention.h"

#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "yona/backend/cudnn/graph.h"

namespace yona::cudnn {

namespace {

// A graph and which of its tensors is what.
struct Described {
  Graph graph{};
  Tensor q{}, k{}, v{}, out{}, lse{}, scale{};
  MaybeTensor minus_infinity{};
  MaybeTensor q_lengths{}, k_lengths{};
  MaybeTensor q_offsets{}, k_offsets{}, v_offsets{}, out_offsets{}, lse_offsets{};
  // Of the backward pass.
  Tensor dout{}, dq{}, dk{}, dv{}, row_sums{}, one{};
  MaybeTensor dout_offsets{}, dq_offsets{}, dk_offsets{}, dv_offsets{};
};

// [sequences, heads, rows, channels] of rows that lie `stride` elements apart.
Layout4 rows_of(const AttentionShape& s, std::int64_t heads, std::int64_t rows,
                std::int64_t stride) {
  return {{s.sequences, heads, rows, s.channels}, {rows * stride, s.channels, stride, 1}};
}

Layout4 scores_of(const AttentionShape& s) {
  return packed({s.sequences, s.heads, s.queries, s.keys});
}

Layout4 column_of(const AttentionShape& s) { return packed({s.sequences, s.heads, s.queries, 1}); }

MaybeTensor describe_offsets(Described& d, const AttentionShape& s) {
  return s.ragged
             ? MaybeTensor(d.graph.in_memory(CUDNN_DATA_INT64, packed({s.sequences + 1, 1, 1, 1})))
             : MaybeTensor{};
}

void describe_lengths(Described& d, const AttentionShape& s) {
  if (s.ragged) {
    d.q_lengths = d.graph.in_memory(CUDNN_DATA_INT32, packed({s.sequences, 1, 1, 1}));
    d.k_lengths = d.graph.in_memory(CUDNN_DATA_INT32, packed({s.sequences, 1, 1, 1}));
  }
  d.q_offsets = describe_offsets(d, s);
  d.k_offsets = describe_offsets(d, s);
  d.v_offsets = describe_offsets(d, s);
  d.out_offsets = describe_offsets(d, s);
  d.lse_offsets = describe_offsets(d, s);
}

// Scores that `seen` does not select become −∞.
Tensor select(Described& d, Tensor scores, Tensor seen) {
  if (!d.minus_infinity) {
    d.minus_infinity = d.graph.scalar();
  }
  return d.graph.pointwise(CUDNN_POINTWISE_BINARY_SELECT,
                           {.x = scores, .b = d.minus_infinity, .t = seen});
}

Tensor index_of(Described& d, Tensor scores, std::int64_t axis, cudnnDataType_t arithmetic) {
  return d.graph.pointwise(
      CUDNN_POINTWISE_GEN_INDEX,
      {.x = scores, .arithmetic = arithmetic, .result = CUDNN_DATA_INT32, .axis = axis});
}

Tensor compare(Described& d, cudnnPointwiseMode_t mode, Tensor x, Tensor b) {
  return d.graph.pointwise(
      mode, {.x = x, .b = b, .arithmetic = CUDNN_DATA_BOOLEAN, .result = CUDNN_DATA_BOOLEAN});
}

// Queries and keys beyond a sequence's length.
Tensor mask_lengths(Described& d, Tensor scores) {
  const Tensor row = index_of(d, scores, 2, CUDNN_DATA_INT32);
  const Tensor column = index_of(d, scores, 3, CUDNN_DATA_INT32);
  const Tensor is_query = compare(d, CUDNN_POINTWISE_CMP_LT, row, *d.q_lengths);
  const Tensor is_key = compare(d, CUDNN_POINTWISE_CMP_LT, column, *d.k_lengths);
  return select(d, scores, compare(d, CUDNN_POINTWISE_LOGICAL_AND, is_query, is_key));
}

Tensor mask_later_keys(Described& d, Tensor scores) {
  const Tensor row = index_of(d, scores, 2, CUDNN_DATA_FLOAT);
  const Tensor column = index_of(d, scores, 3, CUDNN_DATA_FLOAT);
  return select(d, scores, compare(d, CUDNN_POINTWISE_CMP_GE, row, column));
}

// scale · Q Kᵀ; the lengths' mask follows it in both passes.
Tensor describe_scores(Described& d, const AttentionShape& s) {
  const Tensor products = d.graph.intermediate(CUDNN_DATA_FLOAT, scores_of(s));
  d.graph.matmul(d.q, d.k, products, {.m = d.q_lengths, .n = d.k_lengths});
  d.scale = d.graph.scalar();
  const Tensor scores = d.graph.pointwise(CUDNN_POINTWISE_MUL, {.x = products, .b = d.scale});
  return s.ragged ? mask_lengths(d, scores) : scores;
}

// O = softmax(scale · Q Kᵀ) V,  lse = m + log Σ exp(s − m)
std::unique_ptr<Described> describe_forward(const AttentionShape& s) {
  auto described = std::make_unique<Described>();
  Described& d = *described;
  Graph& graph = d.graph;
  describe_lengths(d, s);
  const cudnnDataType_t bf16 = CUDNN_DATA_BFLOAT16;
  d.q = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.q), d.q_offsets);
  d.k = graph.in_memory(bf16, transposed(rows_of(s, s.kv_heads, s.keys, s.k)), d.k_offsets);
  d.v = graph.in_memory(bf16, rows_of(s, s.kv_heads, s.keys, s.v), d.v_offsets);
  d.out = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.out), d.out_offsets);
  d.lse = graph.in_memory(CUDNN_DATA_FLOAT,
                          {{s.sequences, s.heads, s.queries, 1}, {s.queries * s.lse, 1, s.lse, 1}},
                          d.lse_offsets);
  Tensor scores = describe_scores(d, s);
  if (s.causal) {
    scores = mask_later_keys(d, scores);
  }
  const Tensor largest = graph.intermediate(CUDNN_DATA_FLOAT, column_of(s));
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores, largest);
  const Tensor exponents = graph.pointwise(CUDNN_POINTWISE_SUB, {.x = scores, .b = largest});
  const Tensor exponentials = graph.pointwise(CUDNN_POINTWISE_EXP, {.x = exponents});
  const Tensor sums = graph.intermediate(CUDNN_DATA_FLOAT, column_of(s));
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, exponentials, sums);
  const Tensor logs = graph.pointwise(CUDNN_POINTWISE_LOG, {.x = sums});
  graph.pointwise(CUDNN_POINTWISE_ADD, {.x = largest, .b = logs, .out = d.lse});
  const Tensor weights =
      graph.pointwise(CUDNN_POINTWISE_DIV, {.x = exponentials, .b = sums, .result = bf16});
  graph.matmul(weights, d.v, d.out, {.m = d.q_lengths, .k = d.k_lengths});
  return described;
}

// A gradient of keys or values: left · right, summed over the heads that share it.
void describe_shared(Described& d, const AttentionShape& s, Tensor left, Tensor right, Tensor out) {
  const Graph::Sizes sizes{.m = d.k_lengths, .k = d.q_lengths};
  if (s.heads == s.kv_heads) {
    d.graph.matmul(left, right, out, sizes);
    return;
  }
  const Tensor of_heads =
      d.graph.intermediate(CUDNN_DATA_BFLOAT16, packed({s.sequences, s.heads, s.keys, s.channels}));
  d.graph.matmul(left, right, of_heads, sizes);
  d.graph.reduce(CUDNN_REDUCE_TENSOR_ADD, of_heads, out);
}

// What the backward pass reads and writes.
void describe_memory(Described& d, const AttentionShape& s) {
  Graph& graph = d.graph;
  describe_lengths(d, s);
  d.dout_offsets = describe_offsets(d, s);
  d.dq_offsets = describe_offsets(d, s);
  d.dk_offsets = describe_offsets(d, s);
  d.dv_offsets = describe_offsets(d, s);
  const cudnnDataType_t bf16 = CUDNN_DATA_BFLOAT16;
  d.q = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.q), d.q_offsets);
  d.k = graph.in_memory(bf16, transposed(rows_of(s, s.kv_heads, s.keys, s.k)), d.k_offsets);
  d.v = graph.in_memory(bf16, transposed(rows_of(s, s.kv_heads, s.keys, s.v)), d.v_offsets);
  d.out = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.out), d.out_offsets);
  d.lse = graph.in_memory(CUDNN_DATA_FLOAT,
                          {{s.sequences, s.heads, s.queries, 1}, {s.queries * s.lse, 1, s.lse, 1}},
                          d.lse_offsets);
  d.dout = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.dout), d.dout_offsets);
  d.dq = graph.in_memory(bf16, rows_of(s, s.heads, s.queries, s.dq), d.dq_offsets);
  d.dk = graph.in_memory(bf16, rows_of(s, s.kv_heads, s.keys, s.dk), d.dk_offsets);
  d.dv = graph.in_memory(bf16, rows_of(s, s.kv_heads, s.keys, s.dv), d.dv_offsets);
  d.row_sums = graph.in_memory(CUDNN_DATA_FLOAT, column_of(s));
  d.one = graph.scalar();
}

// xᵀ of a matrix of scores, in bf16.
Tensor transpose(Described& d, const AttentionShape& s, Tensor x) {
  const Tensor out = d.graph.intermediate(CUDNN_DATA_BFLOAT16, transposed(scores_of(s)));
  d.graph.reshape(x, out);
  return out;
}

// P = exp(s − lse),  dV = Pᵀ dO,  dS = scale · P ∘ (dO Vᵀ − D) with D = Σ dO ∘ O,
// dK = dSᵀ Q,  dQ = dS K
std::unique_ptr<Described> describe_backward(const AttentionShape& s) {
  auto described = std::make_unique<Described>();
  Described& d = *described;
  Graph& graph = d.graph;
  describe_memory(d, s);

  const Tensor products = graph.pointwise(CUDNN_POINTWISE_MUL, {.x = d.dout, .b = d.out});
  const Tensor sums = graph.intermediate(CUDNN_DATA_FLOAT, column_of(s));
  graph.reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
  graph.pointwise(CUDNN_POINTWISE_MUL, {.x = sums, .b = d.one, .out = d.row_sums});

  Tensor exponents = graph.pointwise(CUDNN_POINTWISE_SUB, {.x = describe_scores(d, s), .b = d.lse});
  if (s.causal) {
    exponents = mask_later_keys(d, exponents);
  }
  const Tensor weights = graph.pointwise(CUDNN_POINTWISE_EXP, {.x = exponents});
  describe_shared(d, s, transpose(d, s, weights), d.dout, d.dv);

  const Tensor dweights = graph.intermediate(CUDNN_DATA_FLOAT, scores_of(s));
  graph.matmul(d.dout, d.v, dweights, {.m = d.q_lengths, .n = d.k_lengths});
  const Tensor centred = graph.pointwise(CUDNN_POINTWISE_SUB, {.x = dweights, .b = d.row_sums});
  const Tensor dscores = graph.pointwise(CUDNN_POINTWISE_MUL, {.x = centred, .b = weights});
  const Tensor scaled = graph.pointwise(CUDNN_POINTWISE_MUL, {.x = dscores, .b = d.scale});
  describe_shared(d, s, transpose(d, s, scaled), d.q, d.dk);

  const Tensor keys =
      graph.intermediate(CUDNN_DATA_BFLOAT16, rows_of(s, s.kv_heads, s.keys, s.k), d.k_offsets);
  graph.reshape(d.k, keys);
  graph.matmul(scaled, keys, d.dq, {.m = d.q_lengths, .k = d.k_lengths});
  return described;
}

struct Prepared {
  std::unique_ptr<Described> described;
  Plan plan;
};

class Plans : public Attention {
 public:
  Plans() { check_cudnn(cudnnCreate(&handle_), "starting"); }
  ~Plans() override {
    plans_.clear();
    cudnnDestroy(handle_);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  std::int64_t version() const override { return static_cast<std::int64_t>(cudnnGetVersion()); }

  std::optional<std::int64_t> workspace_bytes(const AttentionShape& shape, Pass pass) override {
    const Plan& plan = prepared(shape, pass).plan;
    if (!plan.is_supported()) {
      return std::nullopt;
    }
    return row_sums_bytes(shape, pass) + plan.workspace_bytes();
  }

  void run(const AttentionShape& shape, Pass pass, const AttentionMemory& memory, float scale,
           cudaStream_t stream) override;

 private:
  // D of the backward pass lies in front of cuDNN's own workspace.
  static std::int64_t row_sums_bytes(const AttentionShape& shape, Pass pass) {
    const std::int64_t bytes = shape.sequences * shape.heads * shape.queries * 4;
    return pass == Pass::forward ? 0 : (bytes + 255) / 256 * 256;
  }

  const Prepared& prepared(const AttentionShape& shape, Pass pass) {
    const auto key = std::make_pair(shape, pass);
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      auto described = pass == Pass::forward ? describe_forward(shape) : describe_backward(shape);
      Plan plan(described->graph, handle_, Determinism::required);
      found = plans_.emplace(key, Prepared{std::move(described), std::move(plan)}).first;
    }
    return found->second;
  }

  cudnnHandle_t handle_ = nullptr;
  std::map<std::pair<AttentionShape, Pass>, Prepared> plans_;
};

void Plans::run(const AttentionShape& shape, Pass pass, const AttentionMemory& memory, float scale,
                cudaStream_t stream) {
  const Prepared& p = prepared(shape, pass);
  check<DeviceError>(p.plan.is_supported(), "cudnn: no kernel takes this attention");
  const Described& d = *p.described;
  float minus_infinity = -std::numeric_limits<float>::infinity();
  float one = 1.0F;
  std::vector<Plan::Binding> bindings = {{d.q, memory.q},     {d.k, memory.k},
                                         {d.v, memory.v},     {d.out, memory.out},
                                         {d.lse, memory.lse}, {d.scale, &scale}};
  const auto bind = [&](const MaybeTensor& tensor, void* address) {
    if (tensor) {
      bindings.push_back({*tensor, address});
    }
  };
  bind(d.minus_infinity, &minus_infinity);
  bind(d.q_lengths, memory.q_lengths);
  bind(d.k_lengths, memory.k_lengths);
  bind(d.q_offsets, memory.q_offsets);
  bind(d.k_offsets, memory.k_offsets);
  bind(d.v_offsets, memory.v_offsets);
  bind(d.out_offsets, memory.out_offsets);
  bind(d.lse_offsets, memory.lse_offsets);
  if (pass == Pass::backward) {
    bind(d.dout, memory.dout);
    bind(d.dq, memory.dq);
    bind(d.dk, memory.dk);
    bind(d.dv, memory.dv);
    bind(d.dout_offsets, memory.dout_offsets);
    bind(d.dq_offsets, memory.dq_offsets);
    bind(d.dk_offsets, memory.dk_offsets);
    bind(d.dv_offsets, memory.dv_offsets);
    bind(d.row_sums, memory.workspace);
    bind(d.one, &one);
  }
  check_cudnn(cudnnSetStream(handle_, stream), "choosing a stream");
  p.plan.run(handle_, bindings, static_cast<char*>(memory.workspace) + row_sums_bytes(shape, pass));
}

}  // namespace
}  // namespace yona::cudnn

extern "C" yona::cudnn::Attention* yona_make_cudnn_attention() {
  return std::make_unique<yona::cudnn::Plans>().release();
}
