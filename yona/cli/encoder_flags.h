// What `yona classify`, `yona embed` and `yona fill` have in common: the model, the lines, and
// where to compute.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "yona/api/encoder.h"
#include "yona/cli/command.h"
#include "yona/cli/worker_backends.h"

namespace yona::cli {

struct EncoderFlags {
  std::string model, input, compute_type;
  WorkerFlags workers;
  bool json = false;
};

void add_encoder_flags(CLI::App& app, EncoderFlags& flags, const std::string& json_meaning);

// Throws InvalidArgument naming the flag, and as TextEncoder::load() does.
TextEncoder load_encoder(const CLI::App& app, const EncoderFlags& flags);

// Calls function(texts) for the lines of --input or of standard input, some at a time, in order.
void for_each_window(const EncoderFlags& flags,
                     const std::function<void(const std::vector<std::string>&)>& function);

}  // namespace yona::cli
