// Any bytes given as config.json of a language model (GPT-2, Llama, Mistral, Qwen, yona's own): a
// model within the limits, which survives being written and read again, or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/io/causal_lm/lm_config.h"
#include "yona/io/json_file.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void use(const yona::Json& json) {
  const yona::CausalLmConfig config = yona::read_lm_config(json, "config.json").config;
  yona::check_config(config);
  const yona::Json written = yona::lm_config(config, {});
  require(yona::read_lm_config(written, "again.json").config == config);
  const yona::Json trained = yona::trained_lm_config(json, config);
  require(yona::read_lm_config(trained, "trained.json").config == config);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    use(yona::parse_json({reinterpret_cast<const char*>(data), size}, "config.json"));
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  return 0;
}
