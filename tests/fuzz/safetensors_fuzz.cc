// Any bytes at all given to the header parser: it must answer with a header whose arrays lie inside
// the bytes, or with FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/io/safetensors_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const yona::SafetensorsHeader header = yona::parse_safetensors_header(bytes, "fuzz");
    for (const yona::SafetensorsEntry& entry : header.entries) {
      if (entry.begin > entry.end || header.data_begin + entry.end > size) {
        std::abort();
      }
    }
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  return 0;
}
