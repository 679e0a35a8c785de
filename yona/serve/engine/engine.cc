#include "yona/serve/engine/engine.h"

#include <algorithm>
#include <malloc.h>
#include <mutex>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/decode/line_translator.h"
#include "yona/decode/search_options.h"
#include "yona/inspect/attention.h"
#include "yona/inspect/explain.h"
#include "yona/serve/engine/beam_tree.h"
#include "yona/serve/engine/glossary.h"
#include "yona/serve/engine/sentence_answer.h"

namespace yona::serve {

namespace {

TranslationJob& job_of(const Unit& unit) { return static_cast<TranslationJob&>(*unit.job); }

// Sentences whose clients have gone or whose time is over leave the batch; those that are watched
// tell how far they are.
class JobWatch : public SearchWatch {
 public:
  JobWatch(const std::vector<Unit>& units, const Subword& subword)
      : units_(units), subword_(subword) {}

  bool stepped(std::size_t request, std::span<const Candidate> /*candidates*/,
               const SentenceSearch& search) override {
    const Unit& unit = units_[request];
    TranslationJob& job = job_of(unit);
    if (job.is_over() || job.is_gone() || job.is_late()) {
      return false;
    }
    if (job.progress && !search.beams().empty()) {
      const std::scoped_lock lock(mutex_);  // workers come at any time
      const Ids ids = search.tokens_of(search.beams().front());
      job.tell({.sentence = unit.sentence,
                .tokens = static_cast<std::int64_t>(ids.size()),
                .token = ids.empty() ? "" : subword_.vocabulary().piece(ids.back()),
                .text = subword_.decode(ids)});
    }
    return true;
  }

 private:
  const std::vector<Unit>& units_;
  const Subword& subword_;
  std::mutex mutex_;
};

// To the system: glibc keeps what large answers were made of.
void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// The batcher knows lengths roughly alone; a batch of its making is cut only where it was far
// wrong.
ModelLoading loading_of(const EngineOptions& options) {
  ModelLoading loading = options.loading;
  loading.text.batch_tokens = 2 * options.batch_tokens;
  return loading;
}

// A batch of wide or long searches has fewer sentences than one of plain ones.
BatcherOptions batcher_options(const EngineOptions& options) {
  constexpr std::int64_t kWorkOfToken = 8;
  constexpr std::int64_t kSmallWork = 512;
  BatcherOptions batcher = options.batcher;
  batcher.batch_work =
      kWorkOfToken * options.batch_tokens * static_cast<std::int64_t>(options.workers.size());
  batcher.small_work = kSmallWork;
  return batcher;
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : backend_(*(check(!options.workers.empty(), "serve: there is no worker"),
                 options.workers.front().backend)),
      limits_(options.limits),
      pool_(options.models, options.workers,
            [&] {
              ModelLoading loading = loading_of(options);
              loading.loads = [this, also = loading.loads] {
                batcher_.loads();
                also();
              };
              loading.text.preempt = [this](Backend& backend) { preempt(backend); };
              return loading;
            }()),
      batcher_(
          batcher_options(options), [this](const std::vector<Unit>& batch) { run(batch, {}); },
          [this] {
            pool_.trim();
            release_free_memory();
          }) {}

Engine::~Engine() { close(); }

void Engine::prepare(TranslationJob& job) const {
  job.search.alignments = job.search.alignments || !job.glossary.empty();
  job.group = job.model + "\n" + job.search.key();
  job.forced.resize(job.sentences.size());
  if (!job.forced.empty()) {
    job.forced.front().prefix = job.prefix;
  }
  set_work(job, *pool_.estimate(job.model), limits_);
}

void Engine::submit_parts(const std::vector<std::shared_ptr<TranslationJob>>& parts) {
  std::int64_t work = 0;
  for (const std::shared_ptr<TranslationJob>& part : parts) {
    prepare(*part);
    work += part->total_work();
    check_work(work, limits_);
  }
  for (const std::shared_ptr<TranslationJob>& part : parts) {
    batcher_.submit(part);
  }
}

void Engine::submit(std::shared_ptr<TaskJob> job) {
  job->group = job->model + "\n" + job->task;
  set_work(*job, *pool_.estimate(job->model), limits_);
  batcher_.submit(job);
}

// Lets another batch go first. Called by the thread of the running one, on its backend.
void Engine::preempt(Backend& backend) {
  batcher_.preempt([&](const std::vector<Unit>& batch) {
    run(batch, {.backend = &backend, .depth = batcher_.depth() - 1});
  });
}

void Engine::run(const std::vector<Unit>& batch, const Lane& lane) {
  if (std::dynamic_pointer_cast<TaskJob>(batch.front().job)) {
    for (const Unit& unit : batch) {
      run_task(static_cast<TaskJob&>(*unit.job), lane);
    }
    return;
  }
  try {
    const TranslationJob& first = job_of(batch.front());
    const std::shared_ptr<LoadedModel> model = pool_.get(first.model);
    const std::shared_ptr<Translator> translator = model->translator(first.search, lane);
    translate_or_fail(batch, {*model, *translator, lane});
  } catch (...) {  // no model, or no search as they want it
    for (const Unit& unit : batch) {
      unit.job->fail(std::current_exception());
    }
  }
}

void Engine::translate_or_fail(const std::vector<Unit>& batch, const Place& place) {
  try {
    translate(batch, place);
  } catch (...) {
    if (batch.size() == 1) {
      batch.front().job->fail(std::current_exception());
      return;
    }
    for (const Unit& unit : batch) {  // one of them is to blame, the others shall not suffer
      if (!job_of(unit).is_over()) {
        translate_or_fail({unit}, place);
      }
    }
  }
}

void Engine::run_task(TaskJob& job, const Lane& lane) {
  try {
    if (job.is_gone()) {
      throw HttpError(499, "client closed the connection");
    }
    if (job.is_late()) {
      throw HttpError(504, "the answer was not ready within the request's deadline", 1);
    }
    Backend& backend = backend_of(lane);
    const PreemptionScope::Hook hook = [&] { preempt(backend); };
    const PreemptionScope scope(&hook);
    job.done(task_answer(job, lane));
  } catch (...) {
    job.fail(std::current_exception());
  }
}

Json Engine::task_answer(const TaskJob& job, const Lane& lane) {
  const std::shared_ptr<LoadedModel> model = pool_.get(job.model);
  SearchChoice choice{.scores = true};
  if (job.request.contains("beam")) {
    choice.beam = job.request["beam"].get<std::int64_t>();
  }
  const std::shared_ptr<Translator> translator = model->translator(choice, lane);
  const auto tokens_of = [&](const std::string& text) {
    return static_cast<std::int64_t>(translator->source_ids(text).size());
  };
  const std::shared_ptr<const WorkEstimate> estimate = pool_.estimate(job.model);
  const WorkEstimate& its = *estimate;
  if (job.task == "beam") {
    const auto text = job.request["q"].get<std::string>();
    const std::int64_t tokens = tokens_of(text);
    check_cache(choice, tokens, its, limits_);
    batcher_.counted(its.of_sentence(choice, tokens));
    return beam_tree(model->model(), *translator, text, limits_.tree_nodes);
  }
  const ExplainRequest request = explain_request(job.request);
  const std::int64_t tokens =
      std::max(tokens_of(request.source), static_cast<std::int64_t>(request.target_prefix.size()));
  if (tokens > limits_.explained_tokens) {
    throw HttpError(413, fmt::format("the text has {} tokens; a step of at most {} is explained",
                                     tokens, limits_.explained_tokens));
  }
  batcher_.counted(WorkEstimate::of_explanation(tokens));
  return explanation_json(explain(model->model(), backend_of(lane), request));
}

// What was foreseen by rough lengths, by the tokens that sentences have. Throws HttpError 413.
void Engine::check_tokens(const Unit& unit, const Place& place) const {
  TranslationJob& job = job_of(unit);
  const std::shared_ptr<const WorkEstimate> estimate = pool_.estimate(job.model);
  const WorkEstimate& its = *estimate;
  const auto tokens_of = [&](const std::string& sentence) {
    return static_cast<std::int64_t>(place.translator.source_ids(sentence).size());
  };
  const std::string& sentence = job.sentences[unit.sentence];
  const auto most = static_cast<std::int64_t>(sentence.size()) + 2;  // a token is a byte at least
  if (its.of_sentence(job.search, most) * its.cache_bytes() > limits_.cache_bytes) {
    check_cache(job.search, tokens_of(sentence), its, limits_);
  }
  if (job.attention && !std::exchange(job.has_foreseen_attention, true)) {
    std::atomic<std::int64_t>& weights = job.attention_count->foreseen;
    for (const std::string& one : job.sentences) {
      check_attention(weights += its.attention_weights(tokens_of(one), 0), limits_);
    }
  }
}

// The work of the sentence's job by the tokens that the sentence has. They are counted where they
// can make a difference.
std::int64_t Engine::counted_work(const Unit& unit, const Place& place) const {
  const TranslationJob& job = job_of(unit);
  const std::shared_ptr<const WorkEstimate> estimate = pool_.estimate(job.model);
  const WorkEstimate& its = *estimate;
  const std::string& sentence = job.sentences[unit.sentence];
  const std::int64_t foreseen = its.of_sentence(job.search, job.tokens[unit.sentence]);
  const auto most = static_cast<std::int64_t>(sentence.size()) + 2;  // a token is a byte at least
  if (its.of_sentence(job.search, most) < 2 * foreseen) {
    return job.total_work();
  }
  const auto tokens = static_cast<std::int64_t>(place.translator.source_ids(sentence).size());
  const std::int64_t rounds = job.work_of(unit.sentence) / foreseen;
  return job.total_work() + rounds * (its.of_sentence(job.search, tokens) - foreseen);
}

// Does a client still wait for the sentence, and may it be answered? If not, its job is over.
bool Engine::is_wanted(const Unit& unit, const Place& place) {
  TranslationJob& job = job_of(unit);
  if (job.is_over()) {
    return false;
  }
  try {
    check_tokens(unit, place);
  } catch (...) {
    job.fail(std::current_exception());
    return false;
  }
  return true;
}

void Engine::translate(const std::vector<Unit>& batch, const Place& place) {
  const TranslationModel& model = place.model.model();
  LineTranslator translator(place.translator, place.model.line_options());
  std::vector<Unit> units;
  std::vector<SourceLine> lines;
  std::int64_t largest = 0;
  for (const Unit& unit : batch) {
    if (is_wanted(unit, place)) {
      const TranslationJob& job = job_of(unit);
      units.push_back(unit);
      largest = std::max(largest, job.preemption_weight * counted_work(unit, place));
      lines.push_back({.text = job.sentences[unit.sentence],
                       .prefix = job.forced[unit.sentence].prefix,
                       .number = 1});
    }
  }
  batcher_.counted(largest);
  JobWatch watch(units, model.subwords().target);
  const auto answers = translator.translate(lines, &watch);
  for (std::size_t i = 0; i < units.size(); ++i) {
    TranslationJob& job = job_of(units[i]);
    if (job.is_over() || job.is_gone()) {
      job.fail(std::make_exception_ptr(HttpError(499, "client closed the connection")));
    } else if (job.is_late()) {
      job.fail(std::make_exception_ptr(
          HttpError(504, "the answer was not ready within the request's deadline", 1)));
    } else {
      finish(units[i], place, answers[i]);
    }
  }
}

// Do all terms of a sentence fit into its translation?
void Engine::check_terms(const Unit& unit, const Place& place,
                         const std::vector<TermUse>& uses) const {
  const std::string& sentence = job_of(unit).sentences[unit.sentence];
  const auto source = static_cast<std::int64_t>(place.translator.source_ids(sentence).size());
  const std::int64_t most = place.translator.max_length(source);
  std::int64_t tokens = 0;
  for (const TermUse& use : uses) {
    tokens += static_cast<std::int64_t>(place.translator.prefix_ids(use.target).size());
  }
  const std::string& prefix = job_of(unit).forced[unit.sentence].prefix;
  tokens = std::max(tokens, static_cast<std::int64_t>(place.translator.prefix_ids(prefix).size()));
  if (tokens >= most) {
    throw HttpError(400, fmt::format("\"glossary\": the terms of a sentence take {} tokens, its "
                                     "translation has {} at most; ask for a larger \"max_length\", "
                                     "or give fewer terms",
                                     tokens, most));
  }
}

// Where a term of the glossary is missing, the sentence is translated again from there.
bool Engine::needs_another_round(const Unit& unit, const Place& place,
                                 const LineTranslation& best) {
  TranslationJob& job = job_of(unit);
  const std::string& sentence = job.sentences[unit.sentence];
  const std::vector<TermUse> uses = uses_of(sentence, job.glossary);
  if (uses.empty()) {
    return false;
  }
  check(best.parts.size() == 1,
        "\"glossary\": a sentence of the text has more tokens than the model takes; send it in "
        "parts");
  TranslationJob::Forced& forced = job.forced[unit.sentence];
  if (forced.rounds++ == uses.size()) {
    return false;  // a term that the model's sub-words cannot write
  }
  const std::size_t given =
      forced.prefix.empty() ? 0 : place.translator.prefix_ids(forced.prefix).size();
  const std::optional<std::string> next =
      next_prefix(sentence, uses, best.parts.front(), given, place.model.model().subwords());
  forced.prefix = next.value_or(forced.prefix);
  if (next) {
    check_terms(unit, place, uses);
  }
  return next.has_value();
}

// Of a sentence in one part. Throws HttpError 413 where the answer would become too large.
TextPieces Engine::attention_of(const Unit& unit, const Place& place,
                                const SentenceTranslation& best) {
  TranslationJob& job = job_of(unit);
  const std::int64_t weights = pool_.estimate(job.model)->attention_weights(
      static_cast<std::int64_t>(best.source.size()),
      static_cast<std::int64_t>(best.hypothesis.ids.size()));
  check_attention(job.attention_count->given += weights, limits_);
  Backend& backend = backend_of(place.lane);
  const PreemptionScope::Hook hook = [&] { preempt(backend); };
  const PreemptionScope scope(&hook);
  return attention_json(place.model.model(), backend, job.sentences[unit.sentence],
                        best.hypothesis.ids);
}

void Engine::finish(const Unit& unit, const Place& place,
                    const std::vector<LineTranslation>& lines) {
  TranslationJob& job = job_of(unit);
  try {
    if (!job.glossary.empty() && needs_another_round(unit, place, lines.front())) {
      batcher_.again(unit);
      return;
    }
    const SubwordPair& subwords = place.model.model().subwords();
    SentenceResult result;
    for (const LineTranslation& line : lines) {
      result.n_best.push_back(hypothesis_of(line, subwords.target.vocabulary()));
      if (job.search.alignments) {
        add_alignment(line, subwords.target.vocabulary().end(), result.n_best.back());
      }
    }
    for (const SentenceTranslation& part : lines.front().parts) {
      const std::vector<std::string> pieces = pieces_of(part.source, subwords.source.vocabulary());
      result.source_tokens.insert(result.source_tokens.end(), pieces.begin(), pieces.end());
    }
    if (job.attention && lines.front().parts.size() == 1) {
      result.attention = attention_of(unit, place, lines.front().parts.front());
    }
    job.finish(unit.sentence, std::move(result));
  } catch (...) {
    job.fail(std::current_exception());
  }
}

}  // namespace yona::serve
