// JSON whose values may have any type.
#pragma once

#include <string>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/io/json_builder.h"

namespace yona {

// What `read` gives. A value of another type than it expects is a FormatError naming `where`, the
// file.
template <class Read>
auto read_typed(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: a value is not as expected: {}", where,
                      words_of_json_error(error.what()));
  }
}

}  // namespace yona
