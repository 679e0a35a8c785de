// In which arithmetic models decode, as users say it: auto, f32, bf16, f16 or int8.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/kernel_args.h"
#include "yona/io/translation_model.h"

namespace yona {

struct ComputeType {
  Precision precision = Precision::f32;
  Packing packing = Packing::yes;
  bool is_folders = false;  // not given: the type of the folder's weights

  // The same for a language model: bf16 on a CPU means weights of 2 bytes and f32 arithmetic.
  ComputeType of_language_model(Device device) const;
  // How the model of this folder is to be loaded.
  Packing packing_of(const std::filesystem::path& folder) const;
};

// What `type` means on the device, "cpu" or "cuda". Empty: bf16 on a GPU, on a CPU what the folder
// holds, f32 or int8. auto: the fastest on this machine. bf16 on a CPU that has none is f32, and is
// said so. Throws InvalidArgument beginning with `option`, which is what the user calls it.
ComputeType choose_compute_type(std::string_view type, std::string_view device,
                                std::string_view option);

// All but the empty one.
const std::vector<std::string>& compute_type_names();

}  // namespace yona
