// Any bytes given as the server's file of API keys: a table that lets requests in or refuses them
// with an HTTP error, or FormatError.

#include <cstddef>
#include <cstdint>

#include "yona/base/error.h"
#include "yona/serve/api_keys.h"

#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFile file;
  file.set(data, size);
  try {
    yona::serve::ApiKeys keys(file.path());
    for (const char* key : {"", "a", "secret"}) {
      try {
        keys.admit(key, "127.0.0.1", 1000);
      } catch (const yona::serve::HttpError&) {  // it may not, or not so often
      }
    }
    keys.reload();
  } catch (const yona::FormatError&) {  // the other allowed answer
  } catch (const yona::IoError&) {      // an empty file
  }
  return 0;
}
