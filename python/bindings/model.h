// A loaded model, an ensemble or an encoder, with the thread that it runs on.
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
  // (per_token, per_word, per_byte, bits_per_byte, nll, tokens, words, bytes, windows)
  py::tuple perplexity(const std::string& text, const py::dict& options);

  // Of an encoder: for each text (label, score, {label: score}, tokens, cut), for a regression
  // without labels. `seconds` is empty or has one for each text.
  py::list classify(const std::vector<std::string>& texts, const std::vector<std::string>& seconds);
  // Of an image classifier: pictures are bytes of a file, paths, or arrays of bytes [height, width]
  // or [height, width, channels]; for each (label, score, {label: score}).
  py::list classify_images(const py::list& pictures);
  bool takes_pictures() const { return images_.has_value(); }
  // [texts, d_model]
  py::array_t<float> embed(const std::vector<std::string>& texts, const py::dict& options);
  // For each mask its candidates: (token, probability, text).
  py::list fill(const std::string& text, std::int64_t top);

  // What config.json says, and how large it is.
  py::dict info() const;

 private:
  enum class Task : std::uint8_t { translate, score };

  py::list answer(Task task, const std::vector<SourceLine>& lines, const py::dict& given);
  // Throw InvalidArgument where the folder holds the other kind.
  const yona::Model& model() const;
  const TextEncoder& encoder() const;
  std::string kind() const;  // "an encoder", for messages

  Worker worker_;                     // the last to go
  std::optional<yona::Model> model_;  // one of the three
  std::optional<TextEncoder> encoder_;
  std::optional<ImageClassifier> images_;
};

}  // namespace yona::python
