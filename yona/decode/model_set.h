// One model, or an ensemble, loaded for decoding: weights as the compute type wants them, the
// languages that are chosen, the search that its folder asks for, and translators made of these.
// The façade (api/model.h), and with it the program and the Python module, and the server load
// models here.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "yona/decode/compute_type.h"
#include "yona/decode/line_translator.h"
#include "yona/decode/translate_options.h"

namespace yona {

// Are the languages asked for compared with the pair that a folder names (check_pair()), or taken
// in its place?
enum class FolderPair : std::uint8_t { checked, replaced };

struct ModelSetOptions {
  ComputeType type{.is_folders = true};
  Languages languages{};
  FolderPair pair = FolderPair::checked;
  std::filesystem::path shortlist{};  // empty: none
};

class ModelSet {
 public:
  // The backends of the places, at least one, must outlive this object. Throws as
  // Shortlist::load(), TranslationModel::load(), check_pair() and choose_languages() do.
  ModelSet(const std::vector<std::filesystem::path>& folders, std::vector<WorkerPlace> places,
           const ModelSetOptions& options);

  const TranslationModel& first() const { return *models_.front(); }
  std::size_t size() const { return models_.size(); }
  Backend& backend() const { return *places_.front().backend; }
  const std::vector<WorkerPlace>& places() const { return places_; }

  // The search that is asked for, in the arithmetic of this set. The first folder's settings are
  // read once for each beam mode. Throws as search_options() does; _unchecked leaves
  // check_options() to the caller.
  DecodeOptions search(const TranslateOptions& asked);
  DecodeOptions search_unchecked(const TranslateOptions& asked);

  // A translator of its own memory over all places, or over those given. Must not outlive this
  // object.
  std::unique_ptr<Translator> translator(const DecodeOptions& search,
                                         const TextOptions& text) const;
  std::unique_ptr<Translator> translator(const DecodeOptions& search, const TextOptions& text,
                                         const std::vector<WorkerPlace>& places) const;
  LineOptions line_options(LongLines long_lines = LongLines::split) const;

 private:
  std::vector<WorkerPlace> places_;
  Precision precision_;
  std::shared_ptr<const Shortlist> shortlist_;
  std::vector<std::unique_ptr<TranslationModel>> models_;
  std::map<std::string, DecodeOptions> folder_searches_;  // by beam mode
};

}  // namespace yona
