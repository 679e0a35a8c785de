// Products of a few rows that are mostly zeros, as behind a ReLU: only those rows of a panel
// [k][64] are read whose element of x is not zero. A product with zero adds nothing, so the bits
// are those of the dense product, as long as the weights are finite. In trained models nine of ten
// hidden units rest, and with few rows the time is that of reading the weights.
#pragma once

#include <cstdint>
#include <span>

#include "yona/backend/cpu/panel_product.h"

namespace yona::cpu {

inline constexpr std::int64_t kMostSparseRows = 4;

// The columns of x, which has at most kMostSparseRows rows, that are not all zero, in rising order.
// Valid until this thread's next call. Empty if they are too many for skipping the others to pay.
std::span<const std::int32_t> find_places(const PanelProduct& product);

// product.rows rows with whole panels that follow one another in memory, at `places` alone.
void multiply_places(const PanelProduct& product, std::int64_t panels,
                     std::span<const std::int32_t> places);

}  // namespace yona::cpu
