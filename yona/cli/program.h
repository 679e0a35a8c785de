// The program around its subcommands: arguments in, exit code out.
#pragma once

namespace yona::cli {

// 0 done · 1 failed while running · 2 wrong use or bad input · 130 interrupted (see
// docs/command-line.md). Whatever goes wrong is one line on standard error.
int run_program(int count, const char* const* arguments);

}  // namespace yona::cli
