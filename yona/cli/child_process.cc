#include "yona/cli/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "yona/base/error.h"

namespace yona::cli {

namespace {

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  check<IoError>(::pipe2(ends.data(), O_CLOEXEC) == 0, "cannot make a pipe: {}",
                 system_error_text(errno));
  return {FileDescriptor::owning(ends[0]), FileDescriptor::owning(ends[1])};
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  Pipe input = make_pipe(), output = make_pipe();
  std::vector<std::string> words = arguments;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  const int error = ::posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    process_ = -1;
  }
  check<IoError>(error == 0, "cannot start {}: {}", arguments.front(), system_error_text(error));
  to_ = std::move(input.write);
  from_ = std::move(output.read);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    wait();
  }
}

void ChildProcess::write_line(std::string_view text) {
  std::string line(text);
  line += '\n';
  for (std::string_view left = line; !left.empty();) {
    const ssize_t count = ::write(to_.get(), left.data(), left.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return;
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::optional<std::string> ChildProcess::read_line() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != buffer_.npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> block{};
    const ssize_t count = ::read(from_.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return std::nullopt;
    }
    buffer_.append(block.data(), static_cast<std::size_t>(count));
  }
}

int ChildProcess::wait() {
  to_.close();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace yona::cli
