// Rows put at numbered places.

#include <algorithm>

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// Of any type: bytes are moved.
void put_rows(const PutRowsArgs& args, Exec& /*exec*/) {
  const auto size = static_cast<std::int64_t>(size_of(args.x.dtype));
  for (std::int64_t i = 0; i < args.x.rows; ++i) {
    if (args.rows[i] >= 0) {
      std::copy_n(static_cast<const char*>(args.x.data) + i * args.x.stride * size,
                  args.x.cols * size,
                  static_cast<char*>(args.y.data) + args.rows[i] * args.y.stride * size);
    }
  }
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.put_rows = put_rows; });

}  // namespace
}  // namespace yona::reference
