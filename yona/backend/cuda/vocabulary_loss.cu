// The loss over a vocabulary with its gradients: on Hopper by scaled exponentials
// (vocabulary/loss.cuh), where types and sizes suit; elsewhere products of logits and passes over
// them.

#include <algorithm>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/tensor_map.h"
#include "yona/backend/cuda/vocabulary/gradients.cuh"
#include "yona/backend/cuda/vocabulary/product.cuh"
#include "yona/backend/cuda/vocabulary/product_deep.cuh"
#include "yona/backend/vocabulary_loss.h"

namespace yona::cuda {

namespace {

#ifdef YONA_CUDA_90A

// Exponentials of all rows and their sums; false, with nothing done, where TMA cannot be used.
template <class Shape, auto kKernel>
bool multiply(const VocabularyLossArgs& args, const VocabularyLoss& loss, Exec& exec) {
  static const int at_once = clusters_at_once<Shape>(kKernel, "vocabulary_loss");
  View exponentials = args.logits;
  exponentials.rows = loss.rows;
  CUtensorMap states;
  CUtensorMap table;
  CUtensorMap results;
  if (at_once == 0 || !describe_tiles(tiles_of(args.x, Shape::kRows, Shape::kDepth), states) ||
      !describe_tiles(tiles_of(args.table, Shape::kCols / Shape::kCluster, Shape::kDepth), table) ||
      !describe_tiles(tiles_of(exponentials, Shape::kPieceRows, Shape::kPieceCols), results)) {
    return false;
  }
  VocabularyProblem problem;
  problem.shifts = loss.target_logits;
  problem.sums = loss.slices;
  problem.stride = loss.rows;
  problem.rows = loss.rows;
  problem.cols = static_cast<int>(loss.exponentials.cols);
  problem.depth = static_cast<int>(loss.x.cols);
  const auto tiles = static_cast<int>(blocks_for(loss.rows, Shape::kCluster * Shape::kRows) *
                                      blocks_for(problem.cols, Shape::kCols));
  ClusterLaunch launch(Shape{}, std::min(tiles, at_once), stream_of(exec));
  check_cuda(cudaLaunchKernelEx(launch.dependent(), kKernel, states, table, results, problem),
             "vocabulary_loss");
  return true;
}

// More than the product that keeps states has.
bool is_deep(std::int64_t depth) { return depth > VocabularyTile::kSteps * VocabularyTile::kDepth; }

// The product for these sizes.
bool multiply(const VocabularyLossArgs& args, const VocabularyLoss& loss, Exec& exec) {
  if (is_deep(args.x.cols)) {
    return multiply<VocabularyDeepTile, vocabulary_product_deep_kernel>(args, loss, exec);
  }
  using Alone = VocabularyShape<VocabularyExponentials, 1>;
  using Pair = VocabularyShape<VocabularyExponentials, 2>;
  return loss.rows <= VocabularyTile::kRows
             ? multiply<Alone, vocabulary_product_kernel<Alone>>(args, loss, exec)
             : multiply<Pair, vocabulary_product_kernel<Pair>>(args, loss, exec);
}

bool is_aligned(const View& view) {
  return view.dtype == DType::bf16 && view.stride % kPack == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

bool suits(const VocabularyLossArgs& args) {
  static const bool hopper = is_hopper();
  return hopper && args.x.rows > 0 && is_vocabulary_width(args.x.cols) && is_aligned(args.x) &&
         is_aligned(args.table) && is_aligned(args.logits) && args.dx.dtype == DType::bf16;
}

// Hands out parts of the op's workspace.
class Workspace {
 public:
  explicit Workspace(const View& view) : view_(view) {}
  float* take(std::int64_t count) {
    constexpr std::int64_t kAlignment = 64;
    float* taken = view_.row<float>(0) + used_;
    used_ += (count + kAlignment - 1) / kAlignment * kAlignment;
    check(used_ <= view_.cols, "vocabulary_loss: a workspace of {} floats is too small",
          view_.cols);
    return taken;
  }

 private:
  View view_;
  std::int64_t used_ = 0;
};

View matrix(void* data, std::int64_t rows, std::int64_t cols, DType dtype) {
  return {data, rows, cols, cols, dtype};
}

void add_up_table(const VocabularyLossArgs& args, Exec& exec) {
  kernels().fill.function()({.y = args.table_sums, .value = 0.0F}, exec);
  View tokens = args.table;
  tokens.rows = args.loss.logits.cols;
  add_rows(tokens, args.table_sums, exec);
  exec_of(exec).sums.flush(stream_of(exec));
}

// False, with nothing of it done that counts, where this way does not suit.
bool by_exponentials(const VocabularyLossArgs& args, Exec& exec) {
  if (!suits(args)) {
    return false;
  }
  const std::int64_t rows = args.x.rows;
  const std::int64_t depth = args.x.cols;
  const bool smoothed = args.loss.smoothing > 0.0F;
  const std::int64_t more = smoothed ? kVocabularyMoreRows : 0;
  Workspace workspace(args.workspace);
  VocabularyLoss loss;
  loss.x = rows_of<bf16>(args.x);
  loss.table = rows_of<bf16>(args.table);
  loss.exponentials = rows_of<bf16>(args.logits);
  loss.exponentials.cols = args.loss.logits.cols;
  loss.targets = args.loss.targets;
  loss.row_scale = args.loss.row_scale;
  loss.table_sums = smoothed ? args.table_sums.row<float>(0) : nullptr;
  loss.target_logits = workspace.take(rows);
  loss.logit_sums = workspace.take(rows);
  loss.factors = workspace.take(rows);
  loss.slice_count = static_cast<int>(blocks_for(loss.exponentials.cols, VocabularyTile::kCols));
  loss.slices = workspace.take(loss.slice_count * rows);
  loss.rows = static_cast<int>(rows);
  loss.losses = rows_of<float>(args.loss.losses);
  const unsigned blocks = blocks_for(rows, VocabularyLoss::kRowsOfBlock);
  loss.parts = workspace.take(blocks * depth);
  const View products = matrix(workspace.take(rows * depth), rows, depth, DType::f32);
  const View scaled =
      matrix(workspace.take(((rows + more) * depth + 1) / 2), rows + more, depth, DType::bf16);
  loss.state_products = rows_of<float>(products);
  loss.scaled = rows_of<bf16>(scaled);
  loss.dx = rows_of<bf16>(args.dx);
  loss.smoothing = args.loss.smoothing;
  loss.accumulate = args.accumulate_dx;

  const cudaStream_t stream = stream_of(exec);
  const unsigned warps = blocks_for(rows, kWarps);
  if (smoothed && args.first) {
    add_up_table(args, exec);
  }
  launch_dependent(target_logits_kernel, {warps, kThreads}, stream, "vocabulary_loss", loss);
  if (!multiply(args, loss, exec)) {
    return false;
  }
  constexpr int kPacks = VocabularyTile::kSteps * VocabularyTile::kDepth / kChunk;
  constexpr int kMostPacks = kVocabularyMostWidth / kChunk;
  const auto exponential_losses =
      is_deep(depth) ? exponential_losses_kernel<kMostPacks> : exponential_losses_kernel<kPacks>;
  const auto scale_rows =
      is_deep(depth) ? scale_rows_kernel<kMostPacks> : scale_rows_kernel<kPacks>;
  launch_dependent(exponential_losses, {blocks, kThreads}, stream, "vocabulary_loss", loss);
  View exponentials = args.logits;
  exponentials.rows = rows;
  kernels().matmul.function()(
      {.a = exponentials, .b = args.table, .c = products, .precision = args.precision}, exec);
  launch_dependent(finish_states_kernel, {warps, kThreads}, stream, "vocabulary_loss", loss);
  if (args.dtable) {
    launch_dependent(scale_rows, {blocks, kThreads}, stream, "vocabulary_loss", loss);
    if (more > 0) {
      constexpr unsigned kBlocksOfOnes = 64;
      launch_dependent(more_rows_kernel, {blocks_for(depth, kLanes) + kBlocksOfOnes, kThreads},
                       stream, "vocabulary_loss", loss);
    }
    exponentials.rows = rows + more;
    kernels().matmul.function()({.a = exponentials,
                                 .b = scaled,
                                 .c = args.dtable,
                                 .transpose_a = true,
                                 .accumulate = args.accumulate_dtable,
                                 .precision = args.precision},
                                exec);
  }
  check_launch("vocabulary_loss");
  return true;
}

#else

bool by_exponentials(const VocabularyLossArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

void vocabulary_loss(const VocabularyLossArgs& args, Exec& exec) {
  if (!by_exponentials(args, exec)) {
    vocabulary_loss_in_parts(args, kernels(), exec);
  }
}

const Registration registration([](Kernels& table) { table.vocabulary_loss = vocabulary_loss; });

}  // namespace
}  // namespace yona::cuda
