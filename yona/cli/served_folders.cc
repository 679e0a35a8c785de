#include "yona/cli/served_folders.h"

#include "yona/base/error.h"
#include "yona/cli/command.h"
#include "yona/io/model_kind.h"

namespace yona::cli {

namespace {

// What cannot be read is left to what reads the rest of the folder.
ModelKind kind_of(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "config.json", error) ? read_model_kind(folder)
                                                                         : ModelKind::translation;
}

}  // namespace

ServedFolders served_folders(const std::vector<std::string>& items) {
  ServedFolders folders;
  for (const std::filesystem::path& item : path_list(items)) {
    const std::string text = item.string();
    const std::size_t sign = std::filesystem::exists(item) ? text.npos : text.find('=');
    const std::filesystem::path folder(sign == text.npos ? text : text.substr(sign + 1));
    require_folder("--model", folder);
    const serve::ServedFolder named{folder, sign == text.npos ? "" : text.substr(0, sign)};
    const ModelKind kind = kind_of(folder);
    switch (kind) {
      case ModelKind::language_model:
        folders.generation.push_back(named);
        break;
      case ModelKind::encoder:
      case ModelKind::image:
        folders.encoding.push_back(named);
        break;
      case ModelKind::translation:
        folders.translation.push_back(serve::model_place(text));
        break;
      case ModelKind::parsing:
      case ModelKind::question_answering:
        fail<InvalidArgument>(
            "--model: {} is {}; yona serve takes translation models, language models, encoders and "
            "image classifiers",
            folder.string(), describe(kind));
    }
  }
  return folders;
}

}  // namespace yona::cli
