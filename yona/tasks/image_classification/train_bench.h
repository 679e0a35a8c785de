// `yona bench train --task image-classification`: a step of random pictures.
#pragma once

#include <cstdint>
#include <string>

#include "yona/models/vit_config.h"
#include "yona/train/step_bench.h"

namespace yona {

struct ImageBenchOptions {
  VitConfig model;  // a preset with the pictures' size and labels
  std::string preset = "vit-small";
  std::int64_t batch = 256;  // pictures of a step
  StepBenchOptions run;
};

// One object with the peers' fields: ms (median), img_s, tflops, mem_gb, and more.
Json bench_image_train(const ImageBenchOptions& options);

}  // namespace yona
