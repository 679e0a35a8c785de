#include "yona/cli/standard_streams.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace yona::cli {

namespace {

// The wrong way round on purpose: standard input that cannot be read, output that cannot be
// written. open() takes the lowest free descriptor, which is this one.
void take_if_closed(int descriptor) {
  if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

void prepare_standard_streams() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  take_if_closed(STDIN_FILENO);
  take_if_closed(STDOUT_FILENO);
  take_if_closed(STDERR_FILENO);
}

// In one system call, so that lines of several processes do not mix.
void tell(std::string_view line) noexcept {
  static constexpr std::string_view kBefore = "yona: ";
  static constexpr std::string_view kAfter = "\n";
  std::array<iovec, 3> parts{};
  std::size_t count = 0;
  for (const std::string_view part : {kBefore, line, kAfter}) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): writev() only reads
    parts[count++] = {const_cast<char*>(part.data()), part.size()};
  }
  static_cast<void>(!::writev(STDERR_FILENO, parts.data(), static_cast<int>(count)));
}

bool flush_standard_output() noexcept {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace yona::cli
