// Any bytes given as a folder's checksums.json: the folder is found good, or damaged with a
// FormatError; names that lead out of the folder are never followed.

#include <cstddef>
#include <cstdint>

#include "yona/base/error.h"
#include "yona/io/checksums.h"

#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFolder folder({"checksums.json", "model.safetensors", "config.json"});
  folder.set(data, size);
  try {
    yona::verify_folder(folder.path());
  } catch (const yona::FormatError&) {  // the other allowed answer
  } catch (const yona::IoError&) {      // a file that cannot be read
  }
  return 0;
}
