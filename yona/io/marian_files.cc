#include "yona/io/marian_files.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/io/foreign_config.h"
#include "yona/io/yaml_json.h"
#include "yona/text/word_segmenter.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// The files of a folder whose names end so, in order.
std::vector<fs::path> files_ending(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(ending)) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models = files_ending(folder, ".npz");
  std::erase_if(models, [](const fs::path& path) {
    return path.filename().string().ends_with(".optimizer.npz");
  });
  return models;
}

// A file that a YAML names: it was written on another machine, where the folder had another name.
fs::path beside(const fs::path& folder, const std::string& named, const fs::path& by) {
  const fs::path relative = fs::path(named).is_relative() ? folder / named : fs::path();
  fs::path path =
      !relative.empty() && fs::exists(relative) ? relative : folder / fs::path(named).filename();
  check<IoError>(fs::is_regular_file(path), "{}: {} names it, but it is not there", path.string(),
                 by.filename().string());
  return path;
}

std::vector<std::string> names_under(const Json& values, const char* key, const fs::path& where) {
  const std::string name = where.string();
  const ForeignConfig config(values, name);
  return config.has(key) ? config.get<std::vector<std::string>>(key) : std::vector<std::string>();
}

// Decoding's YAML before training's, which has the vocabularies too.
std::vector<fs::path> yaml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* name : {"decoder.yml", "config.yml"}) {
    if (fs::exists(folder / name)) {
      files.push_back(folder / name);
    }
  }
  for (const char* ending : {".decoder.yml", ".npz.yml"}) {
    const std::vector<fs::path> more = files_ending(folder, ending);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

fs::path only_model(const fs::path& folder) {
  if (fs::exists(folder / "model.npz")) {
    return folder / "model.npz";
  }
  const std::vector<fs::path> models = models_in(folder);
  check<FormatError>(models.size() == 1,
                     "{}: {} .npz files and no decoder.yml that names one; leave one in the folder",
                     folder.string(), models.size());
  return models.front();
}

std::vector<fs::path> usual_vocabularies(const fs::path& folder) {
  for (const char* name : {"vocab.spm", "vocab.yml"}) {
    if (fs::exists(folder / name)) {
      return {folder / name, folder / name};
    }
  }
  return {};
}

// piece: id, for as many ids as the model has; <pad>, which Marian does not know, comes last.
std::shared_ptr<const Vocabulary> read_vocabulary(const fs::path& path, std::int64_t size) {
  const Json entries = read_yaml(path);
  const std::string name = path.string();
  check<FormatError>(entries.is_object() && !entries.empty(), "{}: not a map of pieces to ids",
                     name);
  std::vector<std::string> pieces(static_cast<std::size_t>(size));
  for (const auto& [piece, id] : entries.items()) {
    check<FormatError>(id.is_number_integer() && id >= 0, "{}: the id of '{}' cannot be {}", name,
                       piece, id.dump());
    if (id < size - 1) {  // Marian also leaves out those beyond its table
      std::string& place = pieces[id.get<std::size_t>()];
      check<FormatError>(place.empty(), "{}: '{}' and '{}' have the same id", name, place, piece);
      place = piece;
    }
  }
  pieces.back() = Vocabulary::kPad;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].empty()) {
      pieces[id] = fmt::format("<unused_{}>", id);
    }
  }
  return std::make_shared<const Vocabulary>(std::move(pieces), name);
}

Subword load_side(const MarianFiles& files, std::size_t side, std::int64_t size) {
  const fs::path& path = files.vocabularies[side];
  if (path.extension() == ".spm") {
    return Subword::load(path);
  }
  check<FormatError>(
      path.extension() == ".yml" || path.extension() == ".yaml" || path.extension() == ".json",
      "{}: vocabularies of this kind are not read; .spm, .yml and .json are", path.string());
  const auto vocabulary = read_vocabulary(path, size);
  const fs::path spm = path.parent_path() / (side == 0 ? "source.spm" : "target.spm");
  if (fs::exists(spm)) {
    return Subword::load(spm, vocabulary);
  }
  return {std::make_shared<const WordSegmenter>(vocabulary), vocabulary, path.string()};
}

}  // namespace

bool is_marian_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && !fs::exists(folder / "config.json", error) &&
         !models_in(folder).empty() &&
         !(files_ending(folder, ".yml").empty() && files_ending(folder, ".spm").empty());
}

MarianFiles find_marian_files(const fs::path& folder) {
  MarianFiles files;
  for (const fs::path& yaml : yaml_files(folder)) {
    const Json values = read_yaml(yaml);
    if (!values.is_object()) {
      continue;
    }
    const std::vector<std::string> models = names_under(values, "models", yaml);
    if (files.settings.empty() && !models.empty()) {
      check<FormatError>(models.size() == 1,
                         "{}: names {} models; give a folder for each of them, with --model each",
                         yaml.string(), models.size());
      files.settings = yaml;
      files.values = values;
      files.model = beside(folder, models.front(), yaml);
    }
    for (const std::string& name : files.vocabularies.empty() ? names_under(values, "vocabs", yaml)
                                                              : std::vector<std::string>()) {
      files.vocabularies.push_back(beside(folder, name, yaml));
    }
  }
  if (files.model.empty()) {
    files.model = only_model(folder);
  }
  if (files.vocabularies.empty()) {
    files.vocabularies = usual_vocabularies(folder);
  }
  check<FormatError>(files.vocabularies.size() == 2,
                     "{}: {} vocabularies; a translation model has two, named by \"vocabs\" in "
                     "decoder.yml (or vocab.spm or vocab.yml for both)",
                     folder.string(), files.vocabularies.size());
  return files;
}

SubwordPair load_marian_subwords(const MarianFiles& files, const ModelDescription& description) {
  Subword source = load_side(files, 0, description.config.source_vocabulary);
  const bool same_pieces = files.vocabularies[0] == files.vocabularies[1];
  const bool own_spm = !fs::exists(files.vocabularies[0].parent_path() / "target.spm");
  if (same_pieces && (own_spm || files.vocabularies[0].extension() == ".spm")) {
    return {source, source};
  }
  return {std::move(source), load_side(files, 1, description.config.target_vocabulary)};
}

}  // namespace yona
