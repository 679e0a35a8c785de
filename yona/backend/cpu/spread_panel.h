// The last panel of packed weights may have fewer rows than the others; kernels want them whole.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/panels.h"

namespace yona::cpu {

// The panel [k][rows] as [k][kPanelRows], zeros in the columns that it has not. Valid until the
// scratch is used again.
inline const float* spread_panel(const Panel<float>& panel, std::int64_t k,
                                 Scratch<float>& scratch) {
  float* whole = scratch.get(static_cast<std::size_t>(k * kPanelRows));
  for (std::int64_t j = 0; j < k; ++j) {
    std::copy_n(panel.data + j * panel.rows, panel.rows, whole + j * kPanelRows);
    std::fill_n(whole + j * kPanelRows + panel.rows, kPanelRows - panel.rows, 0.0F);
  }
  return whole;
}

}  // namespace yona::cpu
