// Checks of single values that the configurations of models share.
#pragma once

#include <cstdint>
#include <string_view>

#include "yona/base/error.h"

namespace yona {

// These throw InvalidArgument naming the key.
inline void check_between(std::int64_t value, std::int64_t least, std::int64_t most,
                          std::string_view key) {
  check(value >= least && value <= most, "{}: {} is not between {} and {}", key, value, least,
        most);
}

inline void check_probability(double value, std::string_view key) {
  check(value >= 0.0 && value < 1.0, "{}: {} is not a probability in [0, 1)", key, value);
}

}  // namespace yona
