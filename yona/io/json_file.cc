// Files around nlohmann's parser and printer.

#include "yona/io/json_file.h"

#include <string>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"

namespace yona {

namespace {

// Nothing that is read here goes deeper; printing a value, as messages do, takes a stack frame for
// each level.
constexpr int kDeepestJson = 64;

// What went wrong and where, without the library's own number for it.
std::string_view words_of(const Json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");
  return text.starts_with("[json.exception") && end != text.npos ? text.substr(end + 2) : text;
}

}  // namespace

Json parse_json(std::string_view text, std::string_view name) {
  const auto refuse_depths = [&](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    check<FormatError>(depth <= kDeepestJson, "{}: nested deeper than {} levels", name,
                       kDeepestJson);
    return true;
  };
  try {
    return Json::parse(text, refuse_depths);
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: not valid JSON: {}", name, words_of(error));
  }
}

Json read_json(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

void write_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = json.dump(2) + "\n";
  FileWriter file(path, static_cast<std::int64_t>(text.size()));
  file.write(text);
  file.close();
}

}  // namespace yona
