// --model of `yona serve`: folders of translation models and of language models, told apart by what
// they hold.
#pragma once

#include <string>
#include <vector>

#include "yona/serve/engine/loaded_generator.h"
#include "yona/serve/engine/model_pool.h"

namespace yona::cli {

struct ServedFolders {
  std::vector<serve::ModelPlace> translation{};
  std::vector<serve::GenerationPlace> generation{};
};

// Each is DIR, SOURCE-TARGET=DIR of a translation model or NAME=DIR of a language model. Throws
// InvalidArgument or IoError naming the folder.
ServedFolders served_folders(const std::vector<std::string>& items);

}  // namespace yona::cli
