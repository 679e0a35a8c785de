// A loaded model, or an ensemble, with the thread and the backend that it runs on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/decode/line_translator.h"

#include "attention.h"
#include "worker.h"

namespace yona::python {

struct ModelOptions {
  std::string device = "cpu";
  int threads = 0;
  std::string compute_type;  // empty: as the folder's weights are
  std::filesystem::path shortlist;
  std::string source_language, target_language;
};

class Model {
 public:
  Model(const std::vector<std::filesystem::path>& folders, const ModelOptions& options);

  // For each line its translations, best first, each as in python/yona/translation.py. `prefixes`
  // is empty or has one for each line. Of the options those of `yona translate` are known.
  py::list translate(const std::vector<std::string>& lines,
                     const std::vector<std::string>& prefixes, const py::dict& options);
  // One for each pair.
  py::list score(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                 const py::dict& options);
  std::unique_ptr<Attention> attention(const std::string& source,
                                       const std::optional<std::string>& target);
  // What config.json says, and how large it is.
  py::dict info() const;

 private:
  using Answers = std::vector<std::vector<LineTranslation>>;
  enum class Task : std::uint8_t { translate, score };

  void load(const std::vector<std::filesystem::path>& folders, const ModelOptions& options);
  DecodeOptions search_options(const py::dict& given) const;
  py::list answer(Task task, const std::vector<SourceLine>& lines, const py::dict& options);
  py::object translation_of(const LineTranslation& translation, bool with_alignment) const;

  // In the order they are made; the worker is the last to go.
  Worker worker_;
  std::unique_ptr<Backend> backend_;
  std::vector<std::unique_ptr<TranslationModel>> models_;
  Precision precision_ = Precision::f32;
  std::shared_ptr<const Shortlist> shortlist_;
  std::int64_t default_batch_tokens_ = 0;
  // Kept from call to call while the options stay the same.
  std::unique_ptr<Translator> translator_;
  DecodeOptions asked_;
  std::int64_t batch_tokens_ = 0;
};

}  // namespace yona::python
