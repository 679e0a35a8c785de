// JSON whose values may have any type.
#pragma once

#include <string>

#include "yona/base/error.h"
#include "yona/base/json.h"

namespace yona {

// What `read` gives. A value of another type than it expects is a FormatError naming `where`, the
// file.
template <class Read>
auto read_typed(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: a value is not as expected: {}", where, error.what());
  }
}

}  // namespace yona
