#include "yona/cli/compute_type.h"

#include "yona/decode/worker_backends.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag) {
  add_text(app, flag,
           {"--compute-type", "auto|f32|bf16|f16|int8",
            "arithmetic: by default bf16 on a GPU, on a CPU as the weights are (f32 or int8); auto "
            "is the fastest on this machine; f16, for GPUs, is as fast as bf16 and finer, but ends "
            "at 65504; int8 is for CPUs"});
}

ComputeType compute_type(const std::string& flag, const std::string& device) {
  const std::string type =
      flag.empty() ? flag : word_value("--compute-type", flag, compute_type_names());
  return choose_compute_type(type, device, "--compute-type");
}

void add_batch_tokens(CLI::App& app, std::string& flag, const std::string& on_cpu) {
  add_text(
      app, flag,
      {"--batch-tokens", "N",
       "source tokens decoded together, times the beam (default " + on_cpu + ", on a GPU 65536)"});
}

std::int64_t decode_batch_tokens(const std::string& flag, const std::string& device) {
  return flag.empty() ? default_batch_tokens(device)
                      : integer_value("--batch-tokens", flag, {1, 1 << 30});
}

}  // namespace yona::cli
