// A loaded model, or an ensemble, with the thread that it runs on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/yona.h"

#include "attention.h"
#include "worker.h"

namespace yona::python {

class Model {
 public:
  Model(const std::vector<std::filesystem::path>& folders, const LoadOptions& options);

  // For each line its translations, best first, each as in python/yona/translation.py. `prefixes`
  // is empty or has one for each line. Of the options those of `yona translate` are known.
  py::list translate(const std::vector<std::string>& lines,
                     const std::vector<std::string>& prefixes, const py::dict& options);
  // One for each pair.
  py::list score(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                 const py::dict& options);
  // Trees in brackets; the options are those of `yona parse`.
  py::list parse(const std::vector<std::string>& texts, const py::dict& options);
  std::unique_ptr<Attention> attention(const std::string& source,
                                       const std::optional<std::string>& target);
  // For each prompt its answers, each as in python/yona/generation.py; on_piece is called with each
  // piece of the only answer, or is None, and says whether to go on.
  py::list generate(const std::vector<std::string>& prompts, const py::dict& options,
                    const py::object& on_piece);
  // What config.json says, and how large it is.
  py::dict info() const;

 private:
  enum class Task : std::uint8_t { translate, score };

  py::list answer(Task task, const std::vector<SourceLine>& lines, const py::dict& given);

  Worker worker_;  // the last to go
  std::optional<yona::Model> model_;
};

}  // namespace yona::python
