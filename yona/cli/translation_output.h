// Where commands write their answers: standard output, or a file that grows as lines are done. Its
// name says whether it is compressed (io/compressed.h).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace yona::cli {

class TranslationOutput {
 public:
  // Empty or "-": standard output. Throws IoError when the file cannot be made.
  explicit TranslationOutput(std::string path);

  // What is written can be read by others at once. Throws IoError naming the file and the reason.
  void write(std::string_view text);
  // A compressed file without text is one, too.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };
  std::string path_;
  bool is_empty_ = true;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace yona::cli
