// The patches of pictures, from bytes to numbers.

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// A picture's rectangle: top, left, height and width.
bool is_covered(const float* rectangle, std::int64_t y, std::int64_t x) {
  const auto down = static_cast<float>(y);
  const auto right = static_cast<float>(x);
  return down >= rectangle[0] && down < rectangle[0] + rectangle[2] && right >= rectangle[1] &&
         right < rectangle[1] + rectangle[3];
}

void patch_numbers(const PatchNumbersArgs& args, Exec& /*exec*/) {
  const std::int64_t patches = args.patch_rows * args.patch_cols;
  const std::int64_t square = args.patch * args.patch;
  with_type(args.y.dtype, "patch_numbers", [&](auto t) {
    using T = decltype(t);
    for (std::int64_t row = 0; row < args.y.rows; ++row) {
      const float* changes = args.changes + row / patches * kPictureChanges;
      const std::int64_t top = row % patches / args.patch_cols * args.stride;
      const std::int64_t left = row % args.patch_cols * args.stride;
      for (std::int64_t j = 0; j < args.y.cols; ++j) {
        const float* table = args.table + j / square * 256;
        const std::int64_t y = top + j % square / args.patch;
        const std::int64_t x = left + j % args.patch;
        float number =
            is_covered(changes + 1, y, x) ? 0.0F : table[args.x.row<std::uint8_t>(row)[j]];
        if (args.other) {
          const float other =
              is_covered(changes + 5, y, x) ? 0.0F : table[args.other.row<std::uint8_t>(row)[j]];
          number = changes[0] * number + (1.0F - changes[0]) * other;
        }
        args.y.row<T>(row)[j] = static_cast<T>(number);
      }
    }
  });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.patch_numbers = patch_numbers; });

}  // namespace
}  // namespace yona::reference
