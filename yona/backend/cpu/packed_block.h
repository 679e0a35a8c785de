// A block of op(b), packed for a product: columns in panels, the sum in pieces, so that a panel's
// piece stays in the cache while rows of a pass by.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/cpu/matmul_plan.h"

namespace yona::cpu {

// Panels of kWidth columns; the last piece of the sum is rounded up to whole kUnits.
template <std::int64_t kWidth, std::int64_t kPiece, std::int64_t kUnit = 1>
struct PackedBlock {
  // Columns [first, first + count) and elements [begin, begin + depth) of the sum.
  std::int64_t first = 0, count = 0;
  std::int64_t begin = 0, depth = 0;

  std::int64_t panels() const { return divide_up(count, kWidth); }
  std::int64_t pieces() const { return divide_up(depth, kPiece); }
  std::int64_t piece_depth(std::int64_t piece) const {
    return std::min(kPiece, depth - piece * kPiece);
  }
  // Pieces one after another, in each of them panel after panel.
  std::int64_t offset(std::int64_t piece, std::int64_t panel) const {
    return (piece * kPiece * panels() + panel * round_up(piece_depth(piece), kUnit)) * kWidth;
  }
};

// How op(b) [k, n] is cut into blocks: at most kColumns wide, of kElements at most unless a single
// piece is more.
template <std::int64_t kWidth, std::int64_t kPiece, std::int64_t kUnit = 1>
struct BlockCut {
  static constexpr std::int64_t kColumns = 2048;
  static constexpr std::int64_t kElements = std::int64_t{1} << 20U;

  BlockCut(std::int64_t n, std::int64_t k)
      : n_(n),
        k_(k),
        columns_(std::min(round_up(n, kWidth), kColumns)),
        depth_(std::min(k, std::max<std::int64_t>(kElements / columns_ / kPiece, 1) * kPiece)) {}

  // The memory that any of the blocks needs.
  std::size_t elements() const {
    return static_cast<std::size_t>(columns_ * round_up(depth_, kUnit));
  }

  template <class Function>
  void for_each(const Function& function) const {
    for (std::int64_t first = 0; first < n_; first += columns_) {
      for (std::int64_t begin = 0; begin < k_; begin += depth_) {
        function(PackedBlock<kWidth, kPiece, kUnit>{first, std::min(columns_, n_ - first), begin,
                                                    std::min(depth_, k_ - begin)});
      }
    }
  }

 private:
  std::int64_t n_, k_, columns_, depth_;
};

}  // namespace yona::cpu
