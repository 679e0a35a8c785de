// --model of `yona serve`: folders of translation models, language models, encoders and image
// classifiers, distinguished by their content.
#pragma once

#include <string>
#include <vector>

#include "yona/serve/engine/model_pool.h"
#include "yona/serve/engine/served_folder.h"

namespace yona::cli {

struct ServedFolders {
  std::vector<serve::ModelPlace> translation{};
  std::vector<serve::ServedFolder> generation{};
  std::vector<serve::ServedFolder> encoding{};
};

// Each is DIR, SOURCE-TARGET=DIR of a translation model or NAME=DIR of another one. Throws
// InvalidArgument or IoError naming the folder.
ServedFolders served_folders(const std::vector<std::string>& items);

}  // namespace yona::cli
