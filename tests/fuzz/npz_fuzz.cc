// Any bytes given as an .npz file: arrays that lie inside of it, or FormatError. What is an array
// then is looked at as a Marian model, and the bytes as its YAML.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "yona/base/error.h"
#include "yona/io/marian_npz.h"
#include "yona/io/yaml_json.h"

#include "tests/fuzz/memory_file.h"

namespace {

void use(const std::filesystem::path& path) {
  unsigned sum = 0;
  const yona::NpzFile file(path);
  for (const std::string& name : file.names()) {
    const yona::NamedArray* array = file.find(name);
    const std::string_view bytes(static_cast<const char*>(array->data), array->bytes());
    for (const char byte : bytes) {
      sum += static_cast<unsigned char>(byte);
    }
  }
  asm volatile("" : : "r"(sum));  // the bytes are read, whatever they are
  const yona::MarianNpz model(path);
  for (const char* name : {"shared.weight", "encoder.layers.0.self_attention.query.weight",
                           "decoder.layers.1.feed_forward_norm.bias", "projection.weight"}) {
    model.find(name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    yona::parse_yaml_json({reinterpret_cast<const char*>(data), size}, "fuzz.yml");
  } catch (const yona::FormatError&) {
  }
  try {
    const yona::testing::MemoryFile file(data, size);
    use(file.path());
  } catch (const yona::Error&) {  // FormatError, or IoError for an empty file
  }
  return 0;
}
