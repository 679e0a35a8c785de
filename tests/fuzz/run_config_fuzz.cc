// Any bytes given as the configuration file of a run: settings that are written and read back to
// the same ones, or an error that names the key.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "yona/base/error.h"
#include "yona/tasks/run_config.h"

#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFile file;
  static yona::testing::MemoryFile again;
  file.set(data, size);
  try {
    const yona::RunConfig config = yona::with_absolute_paths(yona::resolve_config(file.path(), {}));
    const std::string written = yona::to_yaml(config);
    again.set(written.data(), written.size());
    if (yona::to_yaml(yona::resolve_config(again.path(), {})) != written) {
      std::abort();
    }
    yona::config_warnings(config);
    yona::check_run_config(config);
  } catch (const yona::Error&) {  // a value that cannot be, or a file that is not there
  }
  return 0;
}
