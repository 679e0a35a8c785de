#include "yona/cli/translation_output.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "yona/base/error.h"
#include "yona/cli/output_file.h"
#include "yona/io/compressed.h"

namespace yona::cli {

TranslationOutput::TranslationOutput(std::string path)
    : path_(path.empty() || path == "-" ? "standard output" : std::move(path)) {
  if (path_ != "standard output") {
    protect_model_files("--output", path_);
    file_.reset(std::fopen(path_.c_str(), "wb"));
    check<IoError>(file_ != nullptr, "--output: {} cannot be made: {}", path_,
                   std::generic_category().message(errno));
  }
}

void TranslationOutput::Close::operator()(std::FILE* file) const { std::fclose(file); }

void TranslationOutput::write(std::string_view text) {
  const std::string bytes = file_ == nullptr ? std::string(text) : compressed_for(path_, text);
  is_empty_ = false;
  std::FILE* file = file_ == nullptr ? stdout : file_.get();
  const bool done =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
  check<IoError>(done, "{} cannot be written: {}", path_, std::generic_category().message(errno));
}

void TranslationOutput::finish() {
  if (is_empty_) {
    write("");
  }
}

}  // namespace yona::cli
