// check(), which every public boundary uses, and the errors that it throws.
//
// A message names the operation, what was expected, what came, and the next step; lower case.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error_kinds.h"

namespace yona {

// check(axis < x.rank(), "softmax: axis {} is out of range for shape {}", axis, x.shape());
template <class Kind = InvalidArgument, class... Args>
void check(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]] {
    throw Kind(fmt::format(message, std::forward<Args>(args)...));
  }
}

template <class Kind = InvalidArgument, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Kind(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace yona
