// What the APIs ask of the models behind them: which there are, sentences to translate, and a look
// inside. serve/engine/ answers with real models; tests of the APIs answer with made-up ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "yona/serve/results_job.h"

namespace yona::serve {

struct ModelSummary {
  std::string id;              // "en-de"
  std::string source, target;  // codes of languages; empty: not known
  bool loaded = false;
  std::int64_t layers = 0, heads = 0, d_model = 0, vocabulary = 0;
  std::string family;
  bool target_has_spaces = true;  // between sentences
};

// What a request may choose of the search; what it does not choose is as the server was started.
struct SearchChoice {
  std::optional<std::int64_t> beam{}, max_length{};
  std::optional<double> length_penalty{};
  std::int64_t n_best = 1;
  bool scores = false;
  bool alignments = false;

  std::string key() const;  // equal choices have equal keys
};

struct GlossaryTerm {
  std::string source;  // as it stands in the source
  std::string target;  // as it must stand in the translation
};

struct HypothesisText {
  std::string text;
  double score = 0, log_probability = 0;
  std::vector<std::string> tokens{};                             // pieces, </s> included
  std::vector<float> token_scores{};                             // their log-probabilities
  std::vector<std::pair<std::size_t, std::size_t>> alignment{};  // source token, token; where asked
};

struct SentenceResult {
  std::vector<HypothesisText> n_best{};      // best first, at least one
  std::vector<std::string> source_tokens{};  // pieces, </s> included
  TextPieces attention{};                    // JSON, when asked for; see docs/serving.md
};

// A sentence as far as it has been translated.
struct SentenceProgress {
  std::size_t sentence = 0;
  std::int64_t tokens = 0;  // so far
  std::string token;        // the last one
  std::string text;
};

// Attention weights of an answer, which the parts of a request count together.
struct AttentionCount {
  std::atomic<std::int64_t> foreseen{0};  // of the sources, before anything is decoded
  std::atomic<std::int64_t> given{0};     // so far
};

// Sentences of one request, for one model.
class TranslationJob : public ResultsJob<SentenceResult> {
 public:
  std::string model;
  SearchChoice search{};
  std::vector<std::string> sentences;
  std::string prefix{};  // of the first sentence's translation
  std::vector<GlossaryTerm> glossary{};
  bool attention = false;

  std::size_t size() const override { return sentences.size(); }

  // Called by threads that compute, one at a time, before the job is over. Empty: not wanted.
  std::function<void(const SentenceProgress&)> progress{};
  // Calls progress, unless the job is over. Any thread.
  void tell(const SentenceProgress& sentence);

  // What each sentence's translation must begin with so that it has the glossary's terms: grows
  // while they are put in. Of the computing thread.
  struct Forced {
    std::string prefix{};
    std::size_t rounds = 0;  // so far
  };
  std::vector<Forced> forced{};
  std::shared_ptr<AttentionCount> attention_count = std::make_shared<AttentionCount>();
  bool has_foreseen_attention =
      false;  // the sources have been counted; of the thread that computes
};

// A look inside a model by its name: "beam" or "explain".
class TaskJob : public Job {
 public:
  std::string model, task;
  Json request;
  std::function<void(Json)> done;
  std::function<void(const std::exception_ptr&)> failed;

  void fail(const std::exception_ptr& error) override {
    has_failed_ = true;
    failed(error);
  }
};

class Service {
 public:
  Service() = default;
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  virtual std::vector<ModelSummary> models() const = 0;
  // Throws HttpError 503 when there is too much to do, 413 for more work than is allowed, 404 for a
  // model that is not there.
  virtual void submit(std::shared_ptr<TranslationJob> job) = 0;
  // The parts of one request, for several models: the limits of a request are those of all of them
  // together, checked before the first is begun. Where a later one is refused, the caller cancels
  // those before it.
  virtual void submit_parts(const std::vector<std::shared_ptr<TranslationJob>>& parts) {
    for (const std::shared_ptr<TranslationJob>& part : parts) {
      submit(part);
    }
  }
  virtual void submit(std::shared_ptr<TaskJob> job) = 0;
  // Would it be refused anyway?
  virtual bool is_full() const = 0;
};

// The model for a pair of languages, or the one of that name. Throws HttpError 400 or 404 naming
// what there is.
const ModelSummary& model_for(const std::vector<ModelSummary>& models, const std::string& source,
                              const std::string& target);
const ModelSummary& model_named(const std::vector<ModelSummary>& models, const std::string& id);

// Throws HttpError 404 where there is no model.
void require_translation(const std::vector<ModelSummary>& models);

// Tokens that a text probably has: enough to share out work, known without a model.
std::int64_t rough_tokens(std::string_view text);

}  // namespace yona::serve
