#include "yona/decode/model_set.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/decode/languages.h"
#include "yona/decode/search_options.h"
#include "yona/decode/shortlist.h"

namespace yona {

ModelSet::ModelSet(const std::vector<std::filesystem::path>& folders,
                   std::vector<WorkerPlace> places, const ModelSetOptions& options)
    : places_(std::move(places)), precision_(options.type.precision) {
  check(!folders.empty(), "load: there is no folder");
  if (!options.shortlist.empty()) {
    shortlist_ = std::make_shared<Shortlist>(Shortlist::load(options.shortlist));
  }
  for (const std::filesystem::path& folder : folders) {
    models_.push_back(TranslationModel::load(folder, backend(), options.type.packing_of(folder)));
    if (options.pair == FolderPair::checked) {
      check_pair(*models_.back(), options.languages);
    }
    models_.back()->choose_languages(options.languages);
  }
}

DecodeOptions ModelSet::search_unchecked(const TranslateOptions& asked) {
  auto found = folder_searches_.find(asked.beam_mode);
  if (found == folder_searches_.end()) {
    found = folder_searches_
                .emplace(asked.beam_mode,
                         folder_search(first().folder(), first().info(), asked.beam_mode))
                .first;
  }
  DecodeOptions options = with_asked(found->second, asked);
  options.precision = precision_;
  options.shortlist = shortlist_;
  return options;
}

DecodeOptions ModelSet::search(const TranslateOptions& asked) {
  DecodeOptions options = search_unchecked(asked);
  check_options(options);
  return options;
}

std::unique_ptr<Translator> ModelSet::translator(const DecodeOptions& search,
                                                 const TextOptions& text) const {
  return translator(search, text, places_);
}

std::unique_ptr<Translator> ModelSet::translator(const DecodeOptions& search,
                                                 const TextOptions& text,
                                                 const std::vector<WorkerPlace>& places) const {
  std::vector<const TranslationModel*> models;
  models.reserve(models_.size());
  for (const auto& model : models_) {
    models.push_back(model.get());
  }
  return std::make_unique<Translator>(std::move(models), places, search, text);
}

LineOptions ModelSet::line_options(LongLines long_lines) const {
  const ModelInfo& info = first().info();
  return {.long_lines = long_lines,
          .source_language = info.source_language,
          .target_language = info.target_language};
}

}  // namespace yona
