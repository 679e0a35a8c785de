// The models of a server: known from the start by what their folders say, loaded when they are
// first needed, and loaded again when their files have changed.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "yona/decode/generation_config.h"
#include "yona/decode/translator.h"
#include "yona/serve/service.h"

namespace yona::serve {

// How a folder's model is loaded, and decoded when nothing else is asked for.
struct ModelLoading {
  std::function<DecodeOptions(const std::filesystem::path& folder, const ModelInfo& info)>
      options_of =
          [](const auto& folder, const auto& info) { return folder_options(folder, info); };
  std::function<Packing(const std::filesystem::path& folder)> packing_of = [](const auto& folder) {
    return yona::packing_of(folder);
  };
  TextOptions text{};
};

// A folder, and the languages to take it for where it does not say them or has many.
struct ModelPlace {
  std::filesystem::path folder;
  std::string source{}, target{};
};

// "DIR" or "en-de=DIR". Throws InvalidArgument.
ModelPlace model_place(const std::string& text);

// A loaded model, which needs its files no more, with a translator for each way to search that was
// asked of it lately. For one thread at a time.
class LoadedModel {
 public:
  LoadedModel(const ModelPlace& place, const std::vector<WorkerPlace>& workers,
              const ModelLoading& loading);

  const TranslationModel& model() const { return *model_; }
  // Throws InvalidArgument for a choice that cannot be.
  Translator& translator(const SearchChoice& choice);
  // The server's options with those of a request over them.
  DecodeOptions options(const SearchChoice& choice) const;

 private:
  struct Kept {
    std::string key;
    std::unique_ptr<Translator> translator;
  };

  std::vector<WorkerPlace> workers_;
  std::unique_ptr<TranslationModel> model_;
  DecodeOptions options_;
  TextOptions text_;
  std::list<Kept> translators_;  // the latest first
};

class ModelPool {
 public:
  // Reads every folder's description and compares its files with its checksums. Throws
  // InvalidArgument where two are for the same languages under the same name, IoError and
  // FormatError as read_model_info() and verify_model_files(). The workers' backends must outlive
  // this object.
  ModelPool(const std::vector<ModelPlace>& places, std::vector<WorkerPlace> workers,
            ModelLoading loading);

  // Any thread.
  std::vector<ModelSummary> summaries() const;
  // Looks again at every folder before its model is used next, and takes it as it is, be it still
  // being written to. Any thread.
  void look_again();

  // Loads it where needed. A changed folder is loaded again once its files rest; one that cannot be
  // loaded any more, or that is for other languages now, leaves the model that was there, with a
  // warning. Of one
  // thread; the model stays valid as long as it is held. Throws HttpError 404 for an id that is not
  // there, and what TranslationModel::load() throws.
  std::shared_ptr<LoadedModel> get(const std::string& id);

 private:
  struct Entry {
    ModelPlace place;
    ModelSummary summary;
    std::shared_ptr<LoadedModel> model;
    std::string signature;    // of the files it was loaded from
    std::string last_seen{};  // when they were looked at last
    Clock::time_point looked{};
    bool is_told = false;  // to look again
  };
  Entry& entry(const std::string& id);
  bool is_due(const Entry& entry) const;
  void load(Entry& entry, const std::string& signature);

  std::vector<WorkerPlace> workers_;
  ModelLoading loading_;
  mutable std::mutex mutex_;  // of the summaries and of `looked`
  std::vector<Entry> entries_;
};

}  // namespace yona::serve
