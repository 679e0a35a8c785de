// A model folder, loaded: translating, scoring and looking inside, or generating text. This is the
// path of `yona translate` and `yona generate`: packed weights, the search that the folder asks
// for, long lines in parts.
//
//   auto model = yona::Model::load("folder");
//   std::string text = model.translate("Hello.");            // of a translation model
//   std::string more = model.generate("Once upon a time");   // of a language model
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/error_kinds.h"
#include "yona/decode/source_line.h"
#include "yona/decode/translate_options.h"
#include "yona/decode/translation.h"
#include "yona/generate/generate_options.h"
#include "yona/inspect/attention_maps.h"
#include "yona/tasks/language_model/perplexity_figures.h"

namespace yona {

class LanguageRuntime;  // the library's own
class ModelRuntime;

struct LoadOptions {
  std::string device = "cpu";  // or "cuda"
  int threads = 0;             // of each worker; 0: all CPUs that the process may use
  int workers = 1;             // batches decoded at once, each on CPUs of its own
  // auto (the fastest here), f32, bf16, f16 (GPUs) or int8 (CPUs). Empty: bf16 on a GPU, on a CPU
  // what the folder's weights are.
  std::string compute_type{};
  // Of a model with many languages, those to use; empty ones are the folder's own.
  std::string source_language{}, target_language{};
  std::filesystem::path shortlist{};  // a file of `yona shortlist`
};

// How sentences are parsed. The defaults are the paper's (§6.3).
struct ParseOptions {
  std::int64_t beam = 21;  // 1: greedy, which is faster
  double length_penalty = 0.3;
  // Are the words of a sentence separated by spaces already, as in a treebank?
  bool tokenized = false;
  // Source tokens decoded together, times the beam. Default: 2048 (512 with a beam of 1); 65536 on
  // a GPU.
  std::optional<std::int64_t> batch_tokens{};
  std::int64_t first_number = 1;  // of the first text, in messages
};

// What a folder says of its model.
struct ModelDetails {
  std::string task;    // "translation", "parsing", "language-model"
  std::string family;  // "yona", or a family of Hugging Face: "marian", "m2m_100" …
  std::string source_language{}, target_language{};
  std::int64_t parameters = 0;
  std::int64_t encoder_layers = 0, decoder_layers = 0, d_model = 0, d_ff = 0, heads = 0;
  std::int64_t source_vocabulary = 0, target_vocabulary = 0;
  std::int64_t max_positions = 0;
  std::size_t models = 1;  // of an ensemble
};

// Calls from several threads are computed one after another. What cannot be done throws an Error
// (yona/base/error_kinds.h) whose what() is one line; the model can be used again.
class Model {
 public:
  // A folder that yona trained, or one of the Hugging Face hub in a supported family. Throws
  // IoError or FormatError naming the file, InvalidArgument naming the option, NotImplemented
  // naming what this version cannot run, DeviceError where there is no such device.
  static Model load(const std::filesystem::path& folder, const LoadOptions& options = {});
  // Several models with the same sub-words that decode as one.
  static Model load_ensemble(const std::vector<std::filesystem::path>& folders,
                             const LoadOptions& options = {});

  // For the library's own programs, which choose backends themselves.
  explicit Model(std::unique_ptr<ModelRuntime> runtime);
  ~Model();
  Model(Model&& other) noexcept;
  Model& operator=(Model&& other) noexcept;

  ModelDetails details() const;

  // The best translation; a blank text gives a blank one.
  std::string translate(const std::string& text, const TranslateOptions& options = {}) const;
  // Of each text, in order: faster than one by one.
  std::vector<std::string> translate(const std::vector<std::string>& texts,
                                     const TranslateOptions& options = {}) const;
  // Each line's translations, best first and at least one, with their scores.
  std::vector<std::vector<Translation>> n_best(const std::vector<SourceLine>& lines,
                                               const TranslateOptions& options = {}) const;

  // How probable a translation is that is given.
  Translation score(const std::string& source, const std::string& target,
                    const TranslateOptions& options = {}) const;
  // The same for each line's `target`.
  std::vector<Translation> score(const std::vector<SourceLine>& lines,
                                 const TranslateOptions& options = {}) const;

  // The weights of all heads, for the source and the model's translation of it, or for the pair.
  AttentionMaps attention(const std::string& source,
                          const std::optional<std::string>& target = std::nullopt) const;

  // The continuation of a prompt, without it, by a language model.
  std::string generate(const std::string& prompt, const GenerateOptions& options = {}) const;
  // The same, with each new piece of it as it comes; `on_piece` returns false to end early.
  std::string generate(const std::string& prompt, const GenerateOptions& options,
                       const std::function<bool(const std::string& piece)>& on_piece) const;
  // The answers to each prompt, in order, with their tokens: faster than one by one.
  std::vector<std::vector<GeneratedText>> generate_all(const std::vector<std::string>& prompts,
                                                       const GenerateOptions& options = {},
                                                       const OnPiece& on_piece = {}) const;

  // How well a language model predicts a text. Throws InvalidArgument for a text of fewer than two
  // tokens, for a context that the model does not have and for a stride above it.
  Perplexity perplexity(const std::string& text, const PerplexityOptions& options = {}) const;

  // The tree of a sentence in Penn Treebank brackets: "(S (NP (DT The) (NN cat)) …)". It is always
  // well formed, and has exactly the sentence's words; brackets among them are escaped, (-LRB-
  // -LRB-). A blank text gives a blank one. The model must be a parser.
  std::string parse(const std::string& text, const ParseOptions& options = {}) const;
  // Of each text, in order: faster than one by one.
  std::vector<std::string> parse(const std::vector<std::string>& texts,
                                 const ParseOptions& options = {}) const;

  // Throw InvalidArgument where the folder holds a model of another kind.
  ModelRuntime& runtime() const;
  LanguageRuntime& language() const;

 private:
  explicit Model(std::unique_ptr<LanguageRuntime> language);

  std::unique_ptr<ModelRuntime> runtime_;  // one of the two
  std::unique_ptr<LanguageRuntime> language_;
};

}  // namespace yona
