// Files around nlohmann's parser and printer.

#include "yona/io/json_file.h"

#include <string>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/mapped_file.h"

namespace yona {

Json read_json(const std::filesystem::path& path) {
  const MappedFile file(path);
  try {
    return Json::parse(file.bytes());
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: not valid JSON: {}", path.string(), error.what());
  }
}

void write_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = json.dump(2) + "\n";
  FileWriter file(path, static_cast<std::int64_t>(text.size()));
  file.write(text);
  file.close();
}

}  // namespace yona
