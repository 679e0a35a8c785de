// Sentences in, translations out: the level of text of decode/. Models are loaded for it, and
// searches chosen, by decode/model_set.h; programs use api/model.h.
//
//   ModelSet models({"model"}, {{.backend = backend.get()}}, {});
//   const auto made = models.translator(models.search({}), {});
//   Translator& translator = *made;
//   translator.translate({"Hello.", "How are you?"});            // the best of each line
//   translator.n_best({{.text = "Hello."}});                     // with scores and token ids
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "yona/decode/workers.h"
#include "yona/io/translation_model.h"

namespace yona {

struct TranslationRequest {
  std::string text;
  std::string prefix{};  // the translation begins with this text
  std::uint64_t id = 0;  // names the line for sampling: its number, say
};

struct SentencePair {
  std::string source, target;
};

struct SentenceTranslation {
  std::string text;
  Hypothesis hypothesis;
  Ids source{};  // what was translated, with </s> and the like
};

// What is computed at once, at most; 0: as much as a batch has. Results do not depend on it.
struct StepLimits {
  std::int64_t rows = 0;       // of a decoding step: sentences times beams
  std::int64_t tokens = 0;     // through a stack of layers together: of an encoder, of alignments
  std::int64_t positions = 0;  // of a KV cache: rows times steps
};

struct TextOptions {
  std::int64_t batch_tokens = 4096;  // source tokens of a batch, times its beams, at most
  StepLimits limits{};               // one sentence is decoded whatever they are
  // Called between layers and between steps by the thread that decodes, with its backend, which is
  // free meanwhile: what runs there must use another Translator. Must not throw.
  std::function<void(Backend&)> preempt{};
  // After each batch: how much of what was asked for is done, up to 1. One call at a time, by the
  // thread that decoded.
  std::function<void(double share)> progress{};
};

class Translator {
 public:
  // One model or an ensemble with the same sub-words. They and the backend must outlive this
  // object.
  Translator(std::vector<const TranslationModel*> models, Backend& backend,
             const DecodeOptions& options = {}, const TextOptions& text = {})
      : Translator(std::move(models), std::vector<WorkerPlace>{{.backend = &backend}}, options,
                   text) {}
  // The same by several workers at once (workers.h).
  Translator(std::vector<const TranslationModel*> models, const std::vector<WorkerPlace>& places,
             const DecodeOptions& options, const TextOptions& text);

  // The best translation of each line, in order; a blank line gives a blank line. Throws
  // InvalidArgument for a line with more tokens than the model has positions.
  std::vector<std::string> translate(const std::vector<std::string>& lines);

  // All hypotheses of each request, in order, best first. A blank text has one, which is blank.
  // A watch sees the requests by their places here.
  std::vector<std::vector<SentenceTranslation>> n_best(std::span<const TranslationRequest> requests,
                                                       SearchWatch* watch = nullptr);

  // How probable the given translations are, in order; see PairScorer::score(). Blank sides count
  // as </s> alone. Throws InvalidArgument for a side with more tokens than the model has positions.
  std::vector<Hypothesis> score(std::span<const SentencePair> pairs);

  // Token ids in, hypotheses out, in order: sorted by length and cut into batches inside.
  std::vector<std::vector<Hypothesis>> decode(std::span<const DecodeRequest> requests,
                                              SearchWatch* watch = nullptr);

  // A line as token ids with what the model wants around it (</s>, languages); empty when there is
  // nothing to translate: when it is_all_space().
  Ids source_ids(std::string_view line) const;
  // The pieces of a prefix, without </s>; after the token that every output begins with, if any.
  Ids prefix_ids(std::string_view text) const;
  // Most tokens of a source that can be translated as one, </s> included.
  std::int64_t max_source() const { return workers_.first().decoder.max_source(); }
  const DecodeOptions& options() const { return workers_.first().decoder.options(); }
  // Maximum output tokens for a source of this length, </s> included on both sides.
  std::int64_t max_length(std::int64_t source_tokens) const {
    return workers_.first().decoder.max_length(source_tokens);
  }
  // Bytes of working memory that its batches have touched at most, and that it keeps.
  std::int64_t kept_bytes() const { return workers_.kept_bytes(); }

 private:
  Ids framed(const Ids& text) const;
  std::size_t batch_size(std::int64_t source_tokens) const;

  const SubwordPair& subwords_;
  const TextFrame& frame_;
  Workers workers_;
  TextOptions text_;
};

}  // namespace yona
