// Prompts in, answers out: a tokeniser, a decoder alone and a Generator. This is the path of `yona
// generate`, of Model::generate and of Python.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yona/generate/beam_search.h"
#include "yona/generate/generate_options.h"
#include "yona/generate/generator.h"
#include "yona/generate/text_constraint.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

// Which token ids end a text: those of generation_config.json or config.json (eos_token_id: a
// number or a list), and the tokeniser's own. Throws FormatError for what is neither, or not a
// token of the model, which has `outputs` of them.
std::vector<std::int32_t> end_ids_of(const std::filesystem::path& folder,
                                     const TextTokenizer& tokenizer, std::int64_t outputs);

class TextGenerator {
 public:
  // Model and tokeniser must outlive this object.
  TextGenerator(const SequenceModel& model, const TextTokenizer& tokenizer, Backend& backend,
                GeneratorOptions options);

  // Answers of each prompt, in order. The cache has room for what the prompts need, and for some
  // finished answers whose prefixes may be used again; at most for options.cache_tokens. Throws
  // InvalidArgument for what cannot be, naming the prompt where there are several; Interrupted.
  std::vector<std::vector<GeneratedText>> generate(const std::vector<std::string>& prompts,
                                                   const GenerateOptions& options,
                                                   const OnPiece& on_piece = {});

  Generator& generator() { return generator_; }
  // The tokens of a prompt; one that is empty begins with the token that begins texts.
  std::vector<std::int32_t> prompt_ids(const std::string& prompt) const;
  // A request of these options, without its prompt. Throws InvalidArgument for a schema or an
  // expression that cannot be.
  GenerateRequest request_of(const GenerateOptions& options);

 private:
  std::vector<GenerateRequest> requests_of(const std::vector<std::string>& prompts,
                                           const GenerateOptions& options);
  void reserve(const std::vector<GenerateRequest>& requests);
  std::shared_ptr<TextConstraint> constraint_of(const GenerateOptions& options);
  // Of one prompt, by beam search.
  std::vector<GeneratedText> search(const GenerateRequest& request, const GenerateOptions& options);
  void run(std::vector<std::vector<GeneratedText>>& answers, RequestId first_id,
           const GenerateOptions& options, const OnPiece& on_piece);

  const SequenceModel& model_;
  const TextTokenizer& tokenizer_;
  Backend& backend_;
  Precision precision_;
  std::vector<std::int32_t> end_ids_;
  std::shared_ptr<const TokenBytes> bytes_;
  std::int64_t max_batch_;
  std::int64_t most_cache_tokens_;
  Generator generator_;
  std::unique_ptr<BeamSearch> beam_search_;  // made when it is first needed
  std::shared_ptr<const TokenTrie> trie_;    // made when it is first needed
};

}  // namespace yona
