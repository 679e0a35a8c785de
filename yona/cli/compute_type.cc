#include "yona/cli/compute_type.h"

#include "yona/base/error.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag) {
  add_text(app, flag,
           {"--compute-type", "auto|f32|bf16|f16",
            "arithmetic: bf16 on a GPU, f32 on a CPU (auto, the default), or one of them; f16 is "
            "as fast as bf16 and finer, but ends at 65504"});
}

Precision compute_precision(const std::string& flag, const std::string& device) {
  const std::string type = word_value("--compute-type", flag, {"auto", "f32", "bf16", "f16"});
  if (type == "f32" || (type == "auto" && device != "cuda")) {
    return Precision::f32;
  }
  check(device == "cuda", "--compute-type: {} decodes on GPUs alone; use f32, or --device cuda",
        type);
  return type == "f16" ? Precision::f16 : Precision::bf16;
}

}  // namespace yona::cli
