// The dropout of one module in one pass, together with the identities of the rows it acts on.
// Holds the keys' storage, so an op can keep it for its backward.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

struct RowDropout {
  Dropout dropout;  // off by default
  Tensor row_keys;  // i64 [rows]

  RowDropout() = default;
  RowDropout(const Dropout& decisions, const Layout& layout)
      : dropout(decisions), row_keys(layout.row_keys) {}

  explicit operator bool() const { return static_cast<bool>(dropout); }
  const std::uint64_t* keys() const {
    return row_keys ? reinterpret_cast<const std::uint64_t*>(row_keys.data<std::int64_t>())
                    : nullptr;
  }
};

}  // namespace yona
