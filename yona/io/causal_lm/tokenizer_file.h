// tokenizer.json of a language model, part by part (lm_tokenizer.h puts them together).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/text/bpe_merges.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

class LmTokenizerFile {
 public:
  // Throws IoError or FormatError naming the file.
  explicit LmTokenizerFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  const Json& model() const { return json_["model"]; }
  std::string model_type() const { return model().value("type", ""); }
  // The steps of "normalizer", "pre_tokenizer", "decoder" or "post_processor": a sequence's, or the
  // one that there is.
  std::vector<Json> steps(const char* key, const char* list) const;

  std::vector<TextTokenizer::Added> added() const;
  // Pieces by id, "" where none has the id; added tokens among them.
  std::vector<std::string> pieces() const;
  std::vector<BpeMerges::Pair> merges() const;
  // What the file puts around a text.
  void read_frame(std::vector<std::int32_t>& before, std::vector<std::int32_t>& after) const;

  [[noreturn]] void refuse(const char* kind, const Json& step) const;

 private:
  std::string name_;
  Json json_;
};

}  // namespace yona
