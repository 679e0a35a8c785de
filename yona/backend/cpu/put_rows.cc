// Rows put at numbered places: the threads share them out.

#include <cstring>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

void put_rows(const PutRowsArgs& args, Exec& exec) {
  const auto size = static_cast<std::int64_t>(size_of(args.x.dtype));
  cpu::for_each_row(exec, args.x.rows, args.x.cols, [&](std::int64_t i) {
    if (args.rows[i] >= 0) {
      std::memcpy(static_cast<char*>(args.y.data) + args.rows[i] * args.y.stride * size,
                  static_cast<const char*>(args.x.data) + i * args.x.stride * size,
                  static_cast<std::size_t>(args.x.cols * size));
    }
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.put_rows = put_rows; });

}  // namespace
}  // namespace yona
