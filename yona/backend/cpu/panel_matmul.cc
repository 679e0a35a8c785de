// A block of op(b), a million elements at most, is packed by all threads, then every slice (some
// rows of c) multiplies with its panels; then comes the next block. Packing costs one pass over b
// for as many rows as there are: 1 % at 2,000. An a that is stored transposed (gradients of
// weights) is transposed piece by piece into the slice's own memory.

#include "yona/backend/cpu/panel_matmul.h"

#include <algorithm>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/packed_block.h"
#include "yona/backend/cpu/panel_product.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/transpose.h"

namespace yona::cpu {

namespace {

constexpr std::int64_t kPiece = 512;  // of the sum: its panel and the next fit in the cache
using Block = PackedBlock<kPanelRows, kPiece>;

class PanelMatmul {
 public:
  PanelMatmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool)
      : args_(args), k_(k), pool_(pool) {
    // An even number of blocks of rows, for pairs of threads; few rows are cut in columns too.
    constexpr std::int64_t kWantedRows = 126;
    constexpr std::int64_t kWantedSlices = 8;
    const std::int64_t pairs = divide_up(args.c.rows, 2 * kWantedRows);
    slice_rows_ = round_up(divide_up(args.c.rows, 2 * pairs), 6);
    row_slices_ = divide_up(args.c.rows, slice_rows_);
    groups_ = args.transpose_a ? 1 : divide_up(kWantedSlices, row_slices_);
  }

  void run() {
    thread_local Scratch<float> scratch;
    const BlockCut<kPanelRows, kPiece> cut(args_.c.cols, k_);
    panels_ = scratch.get(cut.elements());
    cut.for_each([this](const Block& block) {
      pack(block);
      multiply(block);
    });
  }

 private:
  void pack(const Block& block) {
    pool_.run(block.pieces() * block.panels(), [&](std::int64_t slice) {
      const std::int64_t piece = slice / block.panels();
      const std::int64_t panel = slice % block.panels();
      const std::int64_t width = std::min(kPanelRows, block.count - panel * kPanelRows);
      pack_panel(block.first + panel * kPanelRows, width, block.begin + piece * kPiece,
                 block.piece_depth(piece), panels_ + block.offset(piece, panel));
    });
  }

  // `width` columns of op(b) and zeros after them, for `depth` elements of the sum.
  void pack_panel(std::int64_t column, std::int64_t width, std::int64_t begin, std::int64_t depth,
                  float* to) const {
    if (width < kPanelRows) {
      std::fill_n(to, depth * kPanelRows, 0.0F);
    }
    if (args_.transpose_b) {
      transpose(args_.b.row<float>(column) + begin, args_.b.stride, width, depth, to, kPanelRows);
      return;
    }
    for (std::int64_t j = 0; j < depth; ++j) {
      std::copy_n(args_.b.row<float>(begin + j) + column, width, to + j * kPanelRows);
    }
  }

  void multiply(const Block& block) {
    const std::int64_t group = divide_up(block.panels(), groups_);
    const std::int64_t groups = divide_up(block.panels(), group);
    pool_.run(row_slices_ * groups, [&](std::int64_t slice) {
      const std::int64_t row = slice / groups * slice_rows_;
      const std::int64_t rows = std::min(slice_rows_, args_.c.rows - row);
      const std::int64_t begin = slice % groups * group;
      const std::int64_t end = std::min(begin + group, block.panels());
      for (std::int64_t piece = 0; piece < block.pieces(); ++piece) {
        multiply_piece(block, piece, {row, rows}, {begin, end});
      }
    });
  }

  struct Rows {
    std::int64_t first = 0, count = 0;
  };
  struct Panels {
    std::int64_t begin = 0, end = 0;
  };

  void multiply_piece(const Block& block, std::int64_t piece, Rows rows, Panels panels) const {
    const std::int64_t k = block.begin + piece * kPiece;
    const std::int64_t depth = block.piece_depth(piece);
    PanelProduct product = left(rows, k, depth);
    product.starts = k == 0 && !args_.accumulate;
    product.ends = k + depth == k_;
    for (std::int64_t p = panels.begin; p < panels.end; ++p) {
      const std::int64_t column = block.first + p * kPanelRows;
      product.panel = panels_ + block.offset(piece, p);
      product.last = p + 1 == panels.end;
      product.y = args_.c.row<float>(rows.first) + column;
      product.bias = args_.bias ? args_.bias.row<float>(0) + column : nullptr;
      multiply_panel(product, std::min(kPanelRows, args_.c.cols - column));
    }
  }

  // The rows of op(a). Transposed ones are at a distance that is not a power of two, which would
  // conflict in caches.
  PanelProduct left(Rows rows, std::int64_t k, std::int64_t depth) const {
    PanelProduct product{.rows = rows.count,
                         .k = depth,
                         .y_stride = args_.c.stride,
                         .least = args_.activation == Activation::relu ? 0.0F : -INFINITY};
    if (!args_.transpose_a) {
      product.x = args_.a.row<float>(rows.first) + k;
      product.x_stride = args_.a.stride;
      return product;
    }
    constexpr std::int64_t kStride = kPiece + 16;
    thread_local Scratch<float> scratch;
    float* transposed = scratch.get(static_cast<std::size_t>(rows.count * kStride));
    transpose(args_.a.row<float>(k) + rows.first, args_.a.stride, depth, rows.count, transposed,
              kStride);
    product.x = transposed;
    product.x_stride = kStride;
    return product;
  }

  const MatmulArgs& args_;
  std::int64_t k_;
  ThreadPool& pool_;
  std::int64_t slice_rows_, row_slices_, groups_;
  float* panels_ = nullptr;
};

}  // namespace

void panel_matmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool) {
  PanelMatmul(args, k, pool).run();
}

}  // namespace yona::cpu
