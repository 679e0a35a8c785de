#include "yona/cli/compute_type.h"

#include "yona/base/error.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag) {
  add_text(app, flag,
           {"--compute-type", "auto|f32|bf16",
            "arithmetic: bf16 on a GPU, f32 on a CPU (auto, the default), or one of them"});
}

Precision compute_precision(const std::string& flag, const std::string& device) {
  const std::string type = word_value("--compute-type", flag, {"auto", "f32", "bf16"});
  check(type != "bf16" || device == "cuda",
        "--compute-type: bf16 decodes on GPUs alone; use f32, or --device cuda");
  return type == "bf16" || (type == "auto" && device == "cuda") ? Precision::bf16 : Precision::f32;
}

}  // namespace yona::cli
