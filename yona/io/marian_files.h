// A folder as Marian leaves it: model.npz, its vocabularies, and YAML that says which is which
// (decoder.yml in a release of OPUS-MT, model.npz.decoder.yml and model.npz.yml after training).
#pragma once

#include <filesystem>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/model_description.h"
#include "yona/text/subword.h"

namespace yona {

struct MarianFiles {
  std::filesystem::path model;                        // the .npz
  std::vector<std::filesystem::path> vocabularies{};  // source and target; .spm, .yml or .json
  std::filesystem::path settings{};                   // the YAML of decoding; empty: none
  Json values = Json::object();                       // what it says
};

// Is it a folder without config.json but with an .npz, and YAML or SentencePiece models beside it?
bool is_marian_folder(const std::filesystem::path& folder);

// Throws FormatError when the folder does not say which file is the model or its vocabularies, and
// IoError for a file that is named but not there.
MarianFiles find_marian_files(const std::filesystem::path& folder);

// Vocabularies in .spm cut text themselves; a .yml is used with source.spm and target.spm where
// they lie beside it (OPUS-MT), and else means text that is cut into pieces already, at spaces.
SubwordPair load_marian_subwords(const MarianFiles& files, const ModelDescription& description);

}  // namespace yona
