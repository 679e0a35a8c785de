// The patches of pictures, from bytes to numbers: the reference's loop, with the pictures shared
// out to the threads.

#include "yona/backend/registration.h"

namespace yona {

namespace {

View rows_from(View view, std::int64_t first, std::int64_t count) {
  if (view) {
    view.data = static_cast<char*>(view.data) +
                first * view.stride * static_cast<std::int64_t>(size_of(view.dtype));
    view.rows = count;
  }
  return view;
}

void patch_numbers(const PatchNumbersArgs& args, Exec& exec) {
  const std::int64_t patches = args.patch_rows * args.patch_cols;
  exec.pool->run(args.y.rows / patches, [&](std::int64_t picture) {
    PatchNumbersArgs one = args;
    one.x = rows_from(args.x, picture * patches, patches);
    one.other = rows_from(args.other, picture * patches, patches);
    one.y = rows_from(args.y, picture * patches, patches);
    one.changes = args.changes + picture * kPictureChanges;
    reference_kernels().patch_numbers.function()(one, exec);
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.patch_numbers = patch_numbers; });

}  // namespace
}  // namespace yona
