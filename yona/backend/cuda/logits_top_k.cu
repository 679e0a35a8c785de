// The best continuations from states: on Hopper a product that leaves statistics of its rows
// (vocabulary/product.cuh) and a top-k that begins with those (vocabulary/top_k_slices.cuh), where
// types and sizes suit; elsewhere the product and then top_k.

#include <algorithm>

#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/tensor_map.h"
#include "yona/backend/cuda/vocabulary/product.cuh"
#include "yona/backend/cuda/vocabulary/top_k_slices.cuh"

namespace yona::cuda {

namespace {

#ifdef YONA_CUDA_90A

// Fewer rows are as quick one after the other; with more than kOfOneBlock of them a cluster of two
// blocks shares what it reads of the table (bench/notes/h200.md has the times).
constexpr std::int64_t kFewestRows = 4;
constexpr std::int64_t kOfOneBlock = VocabularyTile::kRows;

// Can TMA read it?
bool is_aligned(const View& view) {
  return view.stride * static_cast<std::int64_t>(size_of(view.dtype)) % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

// Tokens that are banned before the softmax change its sums, which the product leaves.
bool suits(const LogitsTopKArgs& args) {
  const MatmulArgs& product = args.product;
  const TopKArgs& top_k = args.top_k;
  constexpr std::int64_t kDepth = std::int64_t{VocabularyTile::kSteps} * VocabularyTile::kDepth;
  constexpr std::int64_t kCols = std::int64_t{RowSlices::kMost} * RowSlices::kCols;
  static const bool hopper = is_hopper();
  return hopper && product.a.dtype == DType::bf16 && product.b.dtype == DType::bf16 &&
         product.c.dtype == DType::f32 && product.precision != Precision::f16 &&
         !product.transpose_a && product.transpose_b && !product.accumulate && !product.bias &&
         product.activation == Activation::none && is_aligned(product.a) && is_aligned(product.b) &&
         is_aligned(product.c) && product.a.cols > 0 && product.a.cols <= kDepth &&
         top_k.logits.data == product.c.data && top_k.logits.stride == product.c.stride &&
         top_k.logits.cols > 0 && top_k.logits.cols <= kCols && product.c.rows >= kFewestRows &&
         (!top_k.bans_first || top_k.ban_offsets == nullptr);
}

// False, with nothing done, where this GPU has no such product.
template <class Shape>
bool multiply(const MatmulArgs& product, const VocabularyProblem& problem, cudaStream_t stream) {
  static const int at_once =
      clusters_at_once<Shape>(vocabulary_product_kernel<Shape>, "logits_top_k");
  CUtensorMap states;
  CUtensorMap table;
  CUtensorMap logits;
  if (at_once == 0 || !describe_tiles(tiles_of(product.a, Shape::kRows, Shape::kDepth), states) ||
      !describe_tiles(tiles_of(product.b, Shape::kCols / Shape::kCluster, Shape::kDepth), table) ||
      !describe_tiles(tiles_of(product.c, Shape::kPieceRows, Shape::kPieceCols), logits)) {
    return false;
  }
  const auto tiles = static_cast<int>(blocks_for(problem.rows, Shape::kCluster * Shape::kRows) *
                                      blocks_for(problem.cols, Shape::kCols));
  const ClusterLaunch launch(Shape{}, std::min(tiles, at_once), stream);
  check_cuda(cudaLaunchKernelEx(launch.config(), vocabulary_product_kernel<Shape>, states, table,
                                logits, problem),
             "logits_top_k");
  return true;
}

// False, with nothing done, where the kernels do not suit.
bool find_on_hopper(const LogitsTopKArgs& args, Exec& exec) {
  if (!suits(args)) {
    return false;
  }
  const std::int64_t rows = args.product.c.rows;
  const auto slices =
      static_cast<std::int64_t>(blocks_for(args.top_k.logits.cols, RowSlices::kCols));
  const cudaStream_t stream = stream_of(exec);
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<float2>(slices * rows) + top_k_bytes(args.top_k), stream);
  VocabularyProblem problem;
  problem.tops = scratch.take<float2>(slices * rows);
  problem.stride = rows;
  problem.rows = static_cast<int>(rows);
  problem.cols = static_cast<int>(args.top_k.logits.cols);
  const bool done = rows > kOfOneBlock
                        ? multiply<VocabularyShape<float, 2>>(args.product, problem, stream)
                        : multiply<VocabularyShape<float, 1>>(args.product, problem, stream);
  if (!done) {
    return false;
  }
  const TopKProblem best = top_k_problem(args.top_k, scratch);
  slice_candidates_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream>>>(
      best, {problem.tops, rows, static_cast<int>(slices)});
  merge_candidates(best, stream);
  check_launch("logits_top_k");
  return true;
}

#else

bool find_on_hopper(const LogitsTopKArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

void logits_top_k(const LogitsTopKArgs& args, Exec& exec) {
  if (!find_on_hopper(args, exec)) {
    kernels().matmul.function()(args.product, exec);
    kernels().top_k.function()(args.top_k, exec);
  }
}

const Registration registration([](Kernels& table) {
  table.logits_top_k = logits_top_k;
  table.logits_top_k.fused = Fused::yes;
});

}  // namespace
}  // namespace yona::cuda
