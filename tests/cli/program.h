// Runs the built program and gives back what it printed: tests of the command line see what a user
// sees.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/harness/temp_dir.h"

namespace yona::testing {

struct ProgramResult {
  int code = 0;  // exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

// A program that runs beside the test, for those that interrupt it.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment = {}) {
    child_ = ::fork();
    if (child_ == 0) {
      start(arguments, environment);
    }
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }

  void send(int signal) const { ::kill(child_, signal); }
  std::string out() const { return read_bytes(folder_ / "out"); }
  std::string err() const { return read_bytes(folder_ / "err"); }

  ProgramResult wait() {
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out(), err()};
  }

 private:
  [[noreturn]] void start(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) const {
    redirect("out", STDOUT_FILENO);
    redirect("err", STDERR_FILENO);
    for (std::string setting : environment) {
      ::putenv(::strdup(setting.c_str()));
    }
    std::vector<char*> argv{::strdup(YONA_PROGRAM)};
    for (const std::string& argument : arguments) {
      argv.push_back(::strdup(argument.c_str()));
    }
    argv.push_back(nullptr);
    ::execv(YONA_PROGRAM, argv.data());
    ::_exit(127);
  }
  void redirect(const char* name, int descriptor) const {
    const int file = ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, descriptor);
  }

  TempDir folder_;
  pid_t child_ = -1;
};

inline ProgramResult run_yona(const std::vector<std::string>& arguments,
                              const std::vector<std::string>& environment = {}) {
  return RunningProgram(arguments, environment).wait();
}

}  // namespace yona::testing
