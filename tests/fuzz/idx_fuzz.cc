// Any bytes given as an IDX file, plain or compressed: as many elements as its extents say, or
// FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/data/images/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const yona::IdxArray array = yona::read_idx(*yona::open_bytes(bytes, "fuzz"), "fuzz");
    std::uint64_t elements = 1;
    for (const std::int64_t extent : array.extents) {
      elements *= static_cast<std::uint64_t>(extent);
    }
    if (elements != array.bytes.size()) {
      std::abort();
    }
  } catch (const yona::FormatError&) {
  }
  return 0;
}
