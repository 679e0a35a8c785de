#include "yona/cli/served_folders.h"

#include "yona/cli/command.h"
#include "yona/io/model_kind.h"

namespace yona::cli {

namespace {

// What cannot be read is left to what reads the rest of the folder.
bool holds_language_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "config.json", error) &&
         read_model_kind(folder) == ModelKind::language_model;
}

}  // namespace

ServedFolders served_folders(const std::vector<std::string>& items) {
  ServedFolders folders;
  for (const std::filesystem::path& item : path_list(items)) {
    const std::string text = item.string();
    const std::size_t sign = std::filesystem::exists(item) ? text.npos : text.find('=');
    const std::filesystem::path folder(sign == text.npos ? text : text.substr(sign + 1));
    require_folder("--model", folder);
    if (holds_language_model(folder)) {
      folders.generation.push_back({folder, sign == text.npos ? "" : text.substr(0, sign)});
    } else {
      folders.translation.push_back(serve::model_place(text));
    }
  }
  return folders;
}

}  // namespace yona::cli
