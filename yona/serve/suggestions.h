// Better translations that users suggest (LibreTranslate's /suggest), kept in a file: a line of
// JSON each, {"q": "…", "s": "…", "source": "en", "target": "de"}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

namespace yona::serve {

struct Suggestion {
  std::string text, translation;  // "q" and "s"
  std::string source, target;
};

class Suggestions {
 public:
  // Appends to the file, which never becomes larger than `most_bytes`. Throws IoError where it
  // cannot be written to.
  explicit Suggestions(std::filesystem::path file, std::uintmax_t most_bytes = 64 << 20);

  // Any thread. A suggestion is in the file as a whole or not at all. Throws HttpError 507 when the
  // file is full, IoError where it cannot be written.
  void add(const Suggestion& suggestion);

 private:
  std::filesystem::path file_;
  std::uintmax_t most_bytes_;
  std::mutex mutex_;
};

}  // namespace yona::serve
