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

#include "yona/decode/model_set.h"
#include "yona/serve/engine/work.h"
#include "yona/serve/service.h"

namespace yona::serve {

// How a folder's model is loaded, and decoded when nothing else is asked for.
struct ModelLoading {
  TranslateOptions search{};
  ComputeType type{.is_folders = true};
  TextOptions text{};
  // Before a model is loaded, and loaded again.
  std::function<void()> loads = [] {};
};

// A folder, and the languages to take it for where it does not say them or has many.
struct ModelPlace {
  std::filesystem::path folder;
  std::string source{}, target{};
};

// "DIR" or "en-de=DIR". Throws InvalidArgument.
ModelPlace model_place(const std::string& text);

// Where a batch is decoded: the first by all workers, one that preempts another by the worker that
// it interrupts.
struct Lane {
  Backend* backend = nullptr;  // null: all workers
  std::size_t depth = 0;       // batches that this one preempts
};

// A loaded model, which needs its files no more, with a translator for each way to search that was
// asked of it lately. For one thread at a time.
class LoadedModel {
 public:
  LoadedModel(const ModelPlace& place, const std::vector<WorkerPlace>& workers,
              const ModelLoading& loading);

  const TranslationModel& model() const { return models_.first(); }
  // Not used by any batch of another lane. Throws InvalidArgument for a choice that cannot be.
  std::shared_ptr<Translator> translator(const SearchChoice& choice, const Lane& lane = {});
  // Drops translators whose working memory is larger than this; those in use live on until then.
  void trim(std::int64_t most_bytes);
  LineOptions line_options() const { return models_.line_options(); }
  // The server's options with those of a request over them.
  DecodeOptions options(const SearchChoice& choice) const;

 private:
  struct Kept {
    std::string key;
    std::shared_ptr<Translator> translator;
  };

  ModelSet models_;
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
  // What requests of a model cost, as it was loaded last. Throws HttpError 404 for an id that is
  // not there. Any thread.
  std::shared_ptr<const WorkEstimate> estimate(const std::string& id) const;
  // Looks again at every folder before its model is used next, and takes it as it is, be it still
  // being written to. Any thread.
  void look_again();

  // Loads it where needed. A changed folder is loaded again once its files rest; one that cannot be
  // loaded any more, or that is for other languages now, leaves the model that was there, with a
  // warning. Of one
  // thread; the model stays valid as long as it is held. Throws HttpError 404 for an id that is not
  // there, and what TranslationModel::load() throws.
  std::shared_ptr<LoadedModel> get(const std::string& id);
  // Gives working memory of CPUs back to the system. Of the same thread.
  void trim();

 private:
  struct Entry {
    ModelPlace place;
    ModelSummary summary;
    std::shared_ptr<const WorkEstimate> estimate;
    std::shared_ptr<LoadedModel> model;
    std::string signature;    // of the files it was loaded from
    std::string last_seen{};  // when they were looked at last
    Clock::time_point looked{};
    bool is_told = false;  // to look again
  };
  Entry& entry(const std::string& id);
  std::shared_ptr<const WorkEstimate> estimate_of(const ModelPlace& place) const;
  bool is_due(const Entry& entry) const;
  void load(Entry& entry, const std::string& signature);

  std::vector<WorkerPlace> workers_;
  ModelLoading loading_;
  mutable std::mutex mutex_;  // of the summaries, the estimates and `looked`
  std::vector<Entry> entries_;
};

}  // namespace yona::serve
