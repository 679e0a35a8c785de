// --compute-type and --batch-tokens of commands that decode: what suits the device.
#pragma once

#include <filesystem>
#include <string>

#include "yona/backend/kernel_args.h"
#include "yona/cli/command.h"
#include "yona/io/translation_model.h"

namespace yona::cli {

void add_compute_type(CLI::App& app, std::string& flag);

struct ComputeType {
  Precision precision = Precision::f32;
  Packing packing = Packing::yes;
  bool is_folders = false;  // nobody chose: as the folder's weights are

  // How the model of this folder is to be loaded.
  Packing packing_of(const std::filesystem::path& folder) const;
};

// What the flag means on the device. Empty: bf16 on a GPU, on a CPU what the folder holds, f32 or
// int8. auto: the fastest on this machine. bf16 on a CPU that has none is f32, and is said so.
// Throws InvalidArgument naming the flag.
ComputeType compute_type(const std::string& flag, const std::string& device);

// --batch-tokens: source tokens decoded together, times the beam. Empty: 4096, on a GPU 65536.
// Throws InvalidArgument.
std::int64_t decode_batch_tokens(const std::string& flag, const std::string& device);

}  // namespace yona::cli
