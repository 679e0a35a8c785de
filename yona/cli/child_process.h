// A child process that exchanges lines with this one: its standard input and output are pipes,
// its standard error is ours.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "yona/base/file_descriptor.h"

namespace yona::cli {

class ChildProcess {
 public:
  // The program is looked for on PATH where its name has no slash. Throws IoError when it cannot be
  // started.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  // Ends it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next read_line() notices a reader that has closed the pipe.
  void write_line(std::string_view text);
  // The next line without its LF; nothing at the end of what it wrote.
  std::optional<std::string> read_line();
  // Closes its input and waits; the exit code, or 128 + the signal that ended it.
  int wait();

 private:
  pid_t process_ = -1;
  FileDescriptor to_, from_;
  std::string buffer_;
};

}  // namespace yona::cli
