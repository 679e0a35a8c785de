// Standard input, output and error as the shell gave them to us: closed, full, or a pipe without a
// reader. None of these ends the program other than by its exit code.
#pragma once

#include <string_view>

namespace yona::cli {

// Call it before anything is opened or written. Writes that cannot be done fail instead of raising
// a signal. Descriptors 0 to 2 that are closed are taken, so that no file that is opened later gets
// their number, and log lines with it; reading and writing them fails all the same.
void prepare_standard_streams();

// Writes a line on standard error, as far as possible. It is not an error if that fails.
void tell(std::string_view line) noexcept;

// Writes what standard output still holds. Was all of it written, now and before?
bool flush_standard_output() noexcept;

}  // namespace yona::cli
