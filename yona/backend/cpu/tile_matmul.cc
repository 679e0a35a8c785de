// A block of op(b), a million elements at most, is packed by all threads, then every slice (some
// rows of c) packs its rows of op(a), piece by piece of the sum, and multiplies; then comes the
// next block. Packing takes one pass over each operand, and as many more over a as there are blocks
// of columns.

#include "yona/backend/cpu/tile_matmul.h"

#include <algorithm>

#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/packed_block.h"
#include "yona/backend/cpu/scratch.h"

namespace yona::cpu {

namespace {

// Of the sum: strips are in the second-level cache. Shorter pieces would fit into the first, but
// adding their sums to c costs more than that gains.
constexpr std::int64_t kPiece = 2048;
using Block = PackedBlock<kStripLines, kPiece, kTileDepth>;

class TileMatmul {
 public:
  TileMatmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool, const TileUnit& unit)
      : args_(args), k_(k), pool_(pool), unit_(unit) {
    // An even number of blocks of rows, for pairs of threads; few rows are cut in columns too.
    constexpr std::int64_t kMostRows = 128;
    constexpr std::int64_t kWantedSlices = 8;
    const std::int64_t rows = args.c.rows;
    const std::int64_t pairs = std::max(divide_up(rows, 2 * kMostRows),
                                        std::min(kWantedSlices / 2, rows / (4 * kStripLines)));
    slice_rows_ = round_up(divide_up(rows, 2 * pairs), kStripLines);
    row_slices_ = divide_up(rows, slice_rows_);
    groups_ = divide_up(kWantedSlices, row_slices_);
  }

  void run() {
    thread_local Scratch<std::uint16_t> scratch;
    const BlockCut<kStripLines, kPiece, kTileDepth> cut(args_.c.cols, k_);
    right_ = scratch.get(cut.elements());
    cut.for_each([this](const Block& block) {
      pack(block);
      multiply(block);
    });
  }

 private:
  void pack(const Block& block) {
    constexpr std::int64_t kAtOnce = 4;  // strips: memory is read in longer rows
    const std::int64_t groups = divide_up(block.panels(), kAtOnce);
    pool_.run(block.pieces() * groups, [&](std::int64_t slice) {
      const std::int64_t piece = slice / groups;
      const std::int64_t strip = slice % groups * kAtOnce;
      const std::int64_t column = strip * kStripLines;
      unit_.pack({.view = args_.b,
                  .sum_first = !args_.transpose_b,
                  .line = block.first + column,
                  .lines = std::min(kAtOnce * kStripLines, block.count - column),
                  .begin = block.begin + piece * kPiece,
                  .depth = block.piece_depth(piece)},
                 TileSide::right, right_ + block.offset(piece, strip));
    });
  }

  struct Range {
    std::int64_t begin = 0, end = 0;
  };

  void multiply(const Block& block) {
    const std::int64_t group = divide_up(block.panels(), groups_);
    const std::int64_t groups = divide_up(block.panels(), group);
    pool_.run(row_slices_ * groups, [&](std::int64_t slice) {
      const std::int64_t row = slice / groups * slice_rows_;
      const std::int64_t strip = slice % groups * group;
      for (std::int64_t piece = 0; piece < block.pieces(); ++piece) {
        multiply_piece(block, piece, {row, std::min(row + slice_rows_, args_.c.rows)},
                       {strip, std::min(strip + group, block.panels())});
      }
    });
  }

  void multiply_piece(const Block& block, std::int64_t piece, Range rows, Range strips) const {
    const std::int64_t begin = block.begin + piece * kPiece;
    const std::int64_t depth = block.piece_depth(piece);
    const bool ends = begin + depth == k_;
    StripProduct product{.a = left(rows, begin, depth),
                         .depth_tiles = divide_up(depth, kTileDepth),
                         .rows = rows.end - rows.begin,
                         .c_stride = args_.c.stride,
                         .starts = begin == 0 && !args_.accumulate,
                         .least = ends && args_.activation == Activation::relu ? 0.0F : -INFINITY};
    for (std::int64_t strip = strips.begin; strip < strips.end; ++strip) {
      const std::int64_t column = block.first + strip * kStripLines;
      product.b = right_ + block.offset(piece, strip);
      product.columns = std::min(kStripLines, args_.c.cols - column);
      product.c = args_.c.row<float>(rows.begin) + column;
      product.bias = ends && args_.bias ? args_.bias.row<float>(0) + column : nullptr;
      unit_.multiply(product);
    }
  }

  const std::uint16_t* left(Range rows, std::int64_t begin, std::int64_t depth) const {
    thread_local Scratch<std::uint16_t> scratch;
    const std::int64_t count = rows.end - rows.begin;
    std::uint16_t* strips = scratch.get(
        static_cast<std::size_t>(round_up(count, kStripLines) * round_up(depth, kTileDepth)));
    unit_.pack({.view = args_.a,
                .sum_first = args_.transpose_a,
                .line = rows.begin,
                .lines = count,
                .begin = begin,
                .depth = depth},
               TileSide::left, strips);
    return strips;
  }

  const MatmulArgs& args_;
  std::int64_t k_;
  ThreadPool& pool_;
  const TileUnit& unit_;
  std::int64_t slice_rows_, row_slices_, groups_;
  std::uint16_t* right_ = nullptr;
};

}  // namespace

const TileUnit& tile_unit() { return cpu_has_amx() ? amx_unit() : bf16_dot_unit(); }

void tile_matmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool, const TileUnit& unit) {
  TileMatmul(args, k, pool, unit).run();
}

}  // namespace yona::cpu
