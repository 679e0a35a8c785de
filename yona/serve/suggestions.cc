#include "yona/serve/suggestions.h"

#include <fstream>

#include "yona/serve/http.h"

namespace yona::serve {

namespace {

void append_to(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::app | std::ios::binary);
  out << bytes << std::flush;
  check<IoError>(out.good(), "--suggestions: {}: cannot be written to", file.string());
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
