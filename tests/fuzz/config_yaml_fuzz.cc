// Any text given as a configuration file: a tree that is written and read back to the same one, or
// FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/config/config_yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const yona::ConfigNode node = yona::parse_yaml(text, "fuzz.yaml");
    if (node.kind == yona::ConfigNode::Kind::map &&
        !(yona::parse_yaml(yona::to_yaml(node), "again.yaml") == node)) {
      std::abort();
    }
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  return 0;
}
