// Panels of packed weights in 2 bytes, bf16 or f16 (panels.h), in products that are f32. One row
// widens them in registers, at memory bandwidth; several rows share the widened values.
// The bits are those of panel_product.h with the same weights in f32.
#pragma once

#include "yona/backend/cpu/panel_product.h"

namespace yona::cpu {

// `count` elements, a multiple of kPanelRows.
void widen_panel(const std::uint16_t* from, DType type, std::int64_t count, float* to);

// One row with whole panels that follow one another in memory. product.panel is not looked at; y
// and the bias have 64 columns for each.
void multiply_half_row(const PanelProduct& product, const std::uint16_t* panel, DType type,
                       std::int64_t panels);

// Some rows with one panel, of which `columns` are wanted.
void multiply_half_panel(const PanelProduct& product, const std::uint16_t* panel, DType type,
                         std::int64_t columns);

}  // namespace yona::cpu
