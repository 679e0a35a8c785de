// Normalisation of each column by its mean and variance over all rows (Ioffe and Szegedy 2015), and
// its gradients. A block has 32 columns of a slice of rows: eight threads a column, each with every
// eighth row, whose sums are added in their order; so are those of the slices. Then a warp takes a
// chunk of a row.

#include "yona/backend/batch_moments.h"
#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

constexpr int kSliceRows = 256;
constexpr int kRowThreads = kThreads / kLanes;  // of a column

// The sum over a column's threads of what each has, at all of them.
__device__ float column_sum(float value) {
  __shared__ float parts[kRowThreads][kLanes];
  __syncthreads();
  parts[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  float total = 0.0F;
#pragma unroll
  for (int part = 0; part < kRowThreads; ++part) {
    total += parts[part][threadIdx.x];
  }
  return total;
}

// What a thread of column_moments_kernel and column_products_kernel works on.
struct SlicePlace {
  std::int64_t column, begin, end, first;  // first: of the thread's rows
};

__device__ SlicePlace slice_place(std::int64_t rows) {
  SlicePlace at{};
  at.column = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  at.begin = static_cast<std::int64_t>(blockIdx.y) * kSliceRows;
  at.end = at.begin + kSliceRows < rows ? at.begin + kSliceRows : rows;
  at.first = at.begin + threadIdx.y;
  return at;
}

// partials [slices, 2, d]: the mean of each column of a slice, and the squared distances from it.
template <class T>
__global__ void __launch_bounds__(kThreads)
    column_moments_kernel(Rows<T> x, std::int64_t rows, float* partials) {
  const SlicePlace at = slice_place(rows);
  const bool there = at.column < x.cols;
  float sum = 0.0F;
  for (std::int64_t i = at.first; there && i < at.end; i += kRowThreads) {
    sum += to_float(x.row(i)[at.column]);
  }
  const float mean = column_sum(sum) / static_cast<float>(at.end - at.begin);
  float squares = 0.0F;
  for (std::int64_t i = at.first; there && i < at.end; i += kRowThreads) {
    const float distance = to_float(x.row(i)[at.column]) - mean;
    squares += distance * distance;
  }
  squares = column_sum(squares);
  if (there && threadIdx.y == 0) {
    float* to = partials + static_cast<std::int64_t>(blockIdx.y) * 2 * x.cols + at.column;
    to[0] = mean;
    to[x.cols] = squares;
  }
}

// A thread joins the slices of a column.
__global__ void __launch_bounds__(kThreads)
    batch_statistics_kernel(BatchColumns<float> columns, const float* partials, std::int64_t rows,
                            std::int64_t d) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (j >= d) {
    return;
  }
  if (partials == nullptr) {
    columns.use_running(j);
    return;
  }
  Moments moments;
  for (std::int64_t begin = 0; begin < rows; begin += kSliceRows) {
    const std::int64_t count = begin + kSliceRows < rows ? kSliceRows : rows - begin;
    const float* from = partials + begin / kSliceRows * 2 * d + j;
    moments.add(
        {static_cast<double>(count), static_cast<double>(from[0]), static_cast<double>(from[d])});
  }
  columns.use_batch(j, moments);
}

template <class T>
struct BatchNorm {
  Rows<T> x, y;
  Rows<float> weight, bias, statistics;
  std::int64_t rows = 0;
};

template <class T>
__global__ void __launch_bounds__(kThreads) batch_norm_kernel(BatchNorm<T> n) {
  const Place at = place_of_warp(n.rows, n.y.cols);
  if (!at.there) {
    return;
  }
  float x[kPack];
  float mean[kPack];
  float rstd[kPack];
  float weight[kPack];
  float bias[kPack];
  n.x.load(at.row, at.channel, x);
  n.statistics.load(0, at.channel, mean);
  n.statistics.load(1, at.channel, rstd);
  n.weight.load(0, at.channel, weight);
  n.bias.load(0, at.channel, bias);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    x[i] = (x[i] - mean[i]) * rstd[i] * weight[i] + bias[i];
  }
  n.y.store(at.row, at.channel, x);
}

template <class T>
struct BatchNormBackward {
  Rows<T> x, dy, dx;
  Rows<float> weight, statistics, sums;
  std::int64_t rows = 0;
  float share = 0.0F;  // of a row in the means; 0 with the running statistics
  bool accumulate_dx = false;
};

// partials [slices, 2, d]: Σ dy and Σ dy ∘ x̂ of a slice.
template <class T>
__global__ void __launch_bounds__(kThreads)
    column_products_kernel(BatchNormBackward<T> n, float* partials) {
  const SlicePlace at = slice_place(n.rows);
  const std::int64_t d = n.dy.cols;
  const bool there = at.column < d;
  const float mean = there ? n.statistics.row(0)[at.column] : 0.0F;
  const float rstd = there ? n.statistics.row(1)[at.column] : 0.0F;
  float sum = 0.0F;
  float product = 0.0F;
  for (std::int64_t i = at.first; there && i < at.end; i += kRowThreads) {
    const float dy = to_float(n.dy.row(i)[at.column]);
    sum += dy;
    product += dy * ((to_float(n.x.row(i)[at.column]) - mean) * rstd);
  }
  sum = column_sum(sum);
  product = column_sum(product);
  if (there && threadIdx.y == 0) {
    float* to = partials + static_cast<std::int64_t>(blockIdx.y) * 2 * d + at.column;
    to[0] = sum;
    to[d] = product;
  }
}

// A thread adds up the slices of a column: sums [2, d], and the gradients of bias and weight.
__global__ void __launch_bounds__(kThreads)
    batch_sums_kernel(const float* partials, std::int64_t slices, Rows<float> sums, float* dbias,
                      float* dweight) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t d = sums.cols;
  if (j >= d) {
    return;
  }
  float sum = 0.0F;
  float product = 0.0F;
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    sum += partials[slice * 2 * d + j];
    product += partials[(slice * 2 + 1) * d + j];
  }
  sums.row(0)[j] = sum;
  sums.row(1)[j] = product;
  if (dbias != nullptr) {
    dbias[j] += sum;
  }
  if (dweight != nullptr) {
    dweight[j] += product;
  }
}

// dx (+)= weight · rstd · (dy - share · Σ dy - x̂ · share · Σ dy ∘ x̂)
template <class T>
__global__ void __launch_bounds__(kThreads) batch_norm_backward_kernel(BatchNormBackward<T> n) {
  const Place at = place_of_warp(n.rows, n.dx.cols);
  if (!at.there) {
    return;
  }
  float x[kPack];
  float g[kPack];
  float mean[kPack];
  float rstd[kPack];
  float weight[kPack];
  float sum[kPack];
  float product[kPack];
  n.x.load(at.row, at.channel, x);
  n.dy.load(at.row, at.channel, g);
  n.statistics.load(0, at.channel, mean);
  n.statistics.load(1, at.channel, rstd);
  n.weight.load(0, at.channel, weight);
  n.sums.load(0, at.channel, sum);
  n.sums.load(1, at.channel, product);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const float normal = (x[i] - mean[i]) * rstd[i];
    g[i] = weight[i] * rstd[i] * (g[i] - n.share * sum[i] - normal * (n.share * product[i]));
  }
  n.dx.put(at.row, at.channel, g, n.accumulate_dx);
}

// The grid of a kernel over slices of rows, and its partial sums.
struct SliceGrid {
  dim3 blocks;
  std::int64_t slices;
  float* partials;
};

SliceGrid slice_grid(const View& x, Exec& exec) {
  const std::int64_t slices = (x.rows + kSliceRows - 1) / kSliceRows;
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<float>(slices * 2 * x.cols), stream_of(exec));
  return {dim3(blocks_for(x.cols, kLanes), static_cast<unsigned>(slices)), slices,
          scratch.take<float>(slices * 2 * x.cols)};
}

void batch_norm(const BatchNormArgs& args, Exec& exec) {
  const std::int64_t rows = args.x.rows;
  const std::int64_t d = args.x.cols;
  if (rows * d == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "batch_norm", [&](auto t) {
    using T = decltype(t);
    const cudaStream_t stream = stream_of(exec);
    const BatchNorm<T> norm{rows_of<T>(args.x),
                            rows_of<T>(args.y),
                            rows_of<float>(args.weight),
                            rows_of<float>(args.bias),
                            rows_of<float>(args.statistics),
                            rows};
    const float* partials = nullptr;
    if (args.use != BatchStatistics::running) {
      const SliceGrid grid = slice_grid(args.x, exec);
      column_moments_kernel<<<grid.blocks, dim3(kLanes, kRowThreads), 0, stream>>>(norm.x, rows,
                                                                                   grid.partials);
      partials = grid.partials;
    }
    batch_statistics_kernel<<<blocks_for(d, kThreads), kThreads, 0, stream>>>(
        BatchColumns<float>(args), partials, rows, d);
    batch_norm_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream>>>(norm);
  });
  check_launch("batch_norm");
}

void batch_norm_backward(const BatchNormBackwardArgs& args, Exec& exec) {
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows * d == 0) {
    return;
  }
  with_type(args.dy.dtype, "batch_norm_backward", [&](auto t) {
    using T = decltype(t);
    const cudaStream_t stream = stream_of(exec);
    const bool of_batch = args.forward.use != BatchStatistics::running;
    const BatchNormBackward<T> norm{rows_of<T>(args.forward.x),
                                    rows_of<T>(args.dy),
                                    args.dx ? rows_of<T>(args.dx) : Rows<T>{},
                                    rows_of<float>(args.forward.weight),
                                    rows_of<float>(args.forward.statistics),
                                    rows_of<float>(args.sums),
                                    rows,
                                    of_batch ? 1.0F / static_cast<float>(rows) : 0.0F,
                                    args.accumulate_dx};
    const SliceGrid grid = slice_grid(args.dy, exec);
    column_products_kernel<<<grid.blocks, dim3(kLanes, kRowThreads), 0, stream>>>(norm,
                                                                                  grid.partials);
    batch_sums_kernel<<<blocks_for(d, kThreads), kThreads, 0, stream>>>(
        grid.partials, grid.slices, norm.sums, args.dbias ? args.dbias.row<float>(0) : nullptr,
        args.dweight ? args.dweight.row<float>(0) : nullptr);
    if (norm.dx.there()) {
      batch_norm_backward_kernel<<<blocks_of_packs(args.dx), kThreads, 0, stream>>>(norm);
    }
  });
  check_launch("batch_norm_backward");
}

const Registration registration([](Kernels& table) {
  table.batch_norm = batch_norm;
  table.batch_norm_backward = batch_norm_backward;
});

}  // namespace
}  // namespace yona::cuda
