// Messages to the user: standard error, one line each, behind spdlog.
//
//   log().info("{} sentence pairs", pairs);
//
// Results go to standard output and never through here. set_verbosity() is called by cli alone.
#pragma once

#include <spdlog/spdlog.h>

namespace yona {

enum class Verbosity { quiet, normal, verbose };

spdlog::logger& log();
void set_verbosity(Verbosity verbosity);

}  // namespace yona
