// What a model folder holds, from its config.json alone: commands ask before they read the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "yona/base/json.h"

namespace yona {

// translation: an encoder-decoder that reads one text and writes another. parsing: the same, which
// writes trees. language_model: a decoder alone (models/causal_lm.h). encoder: BERT and its like,
// whatever is on top. image: a classifier of images. question_answering: a memory network.
enum class ModelKind : std::uint8_t {
  translation,
  parsing,
  language_model,
  encoder,
  image,
  question_answering
};

// "a translation model", "a language model": for messages.
std::string_view describe(ModelKind kind);

// Of yona's own models by the task under the key "yona", of others by "model_type". Throws
// FormatError, naming `where` (the file) and what is supported.
ModelKind model_kind(const Json& config, std::string_view where);
// Of a folder with a config.json, or one that Marian wrote. Throws IoError or FormatError naming
// the file.
ModelKind read_model_kind(const std::filesystem::path& folder);

// Throws FormatError for a config.json of a model that writes no text from text: it says what takes
// such a model. Of a model_type that is not known it says nothing.
void check_writes_text(const Json& config, std::string_view where);

// Throws InvalidArgument where the folder holds a model of another kind; `command` is what wants
// it: "yona generate".
void check_model_kind(const std::filesystem::path& folder, ModelKind wanted,
                      std::string_view command);

}  // namespace yona
