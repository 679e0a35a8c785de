// What the program's exit codes mean, for the program and its subcommands alike.
#pragma once

namespace yona::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;    // while running
constexpr int kWrongUse = 2;  // or bad input
constexpr int kInterrupted =
    130;  // Ctrl-C or SIGTERM: saved first, where there is something to save

}  // namespace yona::cli
