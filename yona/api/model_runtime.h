// What a Model is made of: backends, models, and the translator of its latest call. Not installed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yona/decode/model_set.h"
#include "yona/decode/worker_backends.h"
#include "yona/inspect/attention_maps.h"

namespace yona {

struct ParseOptions;  // api/model.h

// One call at a time; others wait.
class ModelRuntime {
 public:
  using Answers = std::vector<std::vector<LineTranslation>>;

  // Throws as worker_backends() and ModelSet do.
  ModelRuntime(const std::vector<std::filesystem::path>& folders, const WorkerChoice& workers,
               const ModelSetOptions& options);

  ModelSet& models() { return models_; }
  const ModelSet& models() const { return models_; }

  // Makes the translator of calls with these options ahead of them, and gives its search. Throws
  // InvalidArgument for a search that cannot be.
  const DecodeOptions& prepare(const TranslateOptions& asked);

  // As LineTranslator's. Throws InvalidArgument also for a search that cannot be, and translate()
  // as check_languages() does.
  Answers translate(std::span<const SourceLine> lines, const TranslateOptions& asked);
  Answers score(std::span<const SourceLine> lines, const TranslateOptions& asked);
  // Throws InvalidArgument for an ensemble, and as inspect_attention() does.
  AttentionMaps attention(const std::string& source, const std::optional<std::string>& target);

  // Throws InvalidArgument "DIR: is a model of the task parsing; …" unless it is of this one.
  void check_task(std::string_view task) const;
  // Trees in brackets. Throws InvalidArgument where the model is not a parser, and as Parser does.
  std::vector<std::string> parse(const std::vector<std::string>& texts, const ParseOptions& asked);

  std::uint64_t lines_split() const { return lines_split_; }      // so far, in translate()
  std::uint64_t sentences_cut() const { return sentences_cut_; }  // lines with a cut inside one

 private:
  void prepare(const DecodeOptions& search, const TranslateOptions& asked);

  std::mutex mutex_;
  std::string device_;
  WorkerBackends workers_;
  ModelSet models_;
  // Kept from call to call while the search stays the same.
  std::unique_ptr<Translator> translator_;
  DecodeOptions search_;
  std::int64_t batch_tokens_ = 0;
  std::function<void(double)> progress_;  // of the current call
  std::uint64_t lines_split_ = 0;
  std::uint64_t sentences_cut_ = 0;
};

}  // namespace yona
