#include "yona/serve/suggestions.h"

#include <sys/stat.h>

#include "yona/base/file_descriptor.h"
#include "yona/serve/http.h"

namespace yona::serve {

namespace {

// Does the file end within a line, as a machine that lost its power may leave it?
bool ends_within_line(int file, off_t size) {
  char last = '\n';
  return size > 0 && ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

// All of the bytes, or none of them: what was written before a disk is full is taken back.
void append_to(const std::filesystem::path& path, std::string bytes) {
  const FileDescriptor file(path, O_RDWR | O_APPEND | O_CREAT);
  struct stat before {};
  bool is_good = file.is_open() && ::fstat(file.get(), &before) == 0;
  if (is_good && !bytes.empty() && ends_within_line(file.get(), before.st_size)) {
    bytes.insert(bytes.begin(), '\n');
  }
  for (std::size_t written = 0; is_good && written < bytes.size();) {
    const ssize_t count = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      is_good = false;
      if (written > 0 && ::ftruncate(file.get(), before.st_size) != 0) {
        break;  // the next one begins a line of its own
      }
    }
  }
  check<IoError>(is_good, "--suggestions: {}: cannot be written to", path.string());
}

}  // namespace

Suggestions::Suggestions(std::filesystem::path file, std::uintmax_t most_bytes)
    : file_(std::move(file)), most_bytes_(most_bytes) {
  append_to(file_, "");
}

void Suggestions::add(const Suggestion& suggestion) {
  const Json json{{"q", suggestion.text},
                  {"s", suggestion.translation},
                  {"source", suggestion.source},
                  {"target", suggestion.target}};
  const std::string line = json.dump() + "\n";
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file_, error);
  if (!error && size + line.size() > most_bytes_) {
    throw HttpError(507, "the file of suggestions is full");
  }
  append_to(file_, line);
}

}  // namespace yona::serve
