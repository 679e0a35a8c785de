// Files around nlohmann's parser and printer.

#include "yona/io/json_file.h"

#include <string>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/io/json_builder.h"

namespace yona {

namespace {

// Nothing that is read here goes deeper; printing a value, as messages do, takes a stack frame for
// each level.
constexpr std::size_t kDeepestJson = 64;

}  // namespace

Json parse_json(std::string_view text, std::string_view name) {
  JsonBuilder builder(name, kDeepestJson);
  Json::sax_parse(text, &builder);
  return builder.take();
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
