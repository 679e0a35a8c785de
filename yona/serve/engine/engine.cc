#include "yona/serve/engine/engine.h"

#include <cmath>
#include <mutex>

#include "yona/base/error.h"
#include "yona/decode/line_translator.h"
#include "yona/inspect/attention.h"
#include "yona/inspect/colour.h"
#include "yona/inspect/explain.h"
#include "yona/serve/engine/beam_tree.h"
#include "yona/serve/engine/glossary.h"

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
      job.progress({.sentence = unit.sentence,
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

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

HypothesisText hypothesis_of(const LineTranslation& line, const Vocabulary& vocabulary) {
  HypothesisText hypothesis{
      .text = line.text, .score = line.score, .log_probability = line.log_probability};
  for (const Translation& part : line.parts) {
    append(hypothesis.tokens, pieces_of(part.hypothesis.ids, vocabulary));
    append(hypothesis.token_scores, part.hypothesis.token_scores);
  }
  return hypothesis;
}

// Links between the tokens of all parts, </s> on either side left out.
void align(const LineTranslation& line, std::int32_t end, HypothesisText& hypothesis) {
  std::size_t source = 0;
  std::size_t target = 0;
  for (const Translation& part : line.parts) {
    for (const auto& [from, to] : hard_alignment_links(part.hypothesis.attention)) {
      if (part.hypothesis.ids[to] != end && part.source[from] != end) {
        hypothesis.alignment.emplace_back(source + from, target + to);
      }
    }
    source += part.source.size();
    target += part.hypothesis.ids.size();
  }
}

double rounded(double value) {
  constexpr double kDigits = 1e4;
  return std::round(value * kDigits) / kDigits;
}

Json map_json(const AttentionMap& map) {
  Json heads = Json::array();
  for (std::int64_t head = 0; head < map.heads; ++head) {
    Json rows = Json::array();
    for (std::int64_t query = 0; query < map.queries; ++query) {
      Json row = Json::array();
      for (const float weight : map.row(head, query)) {
        row.push_back(rounded(weight));
      }
      rows.push_back(std::move(row));
    }
    heads.push_back(std::move(rows));
  }
  return heads;
}

// Of a sentence in one part: what every head looked at while it was translated.
Json attention_of(const TranslationModel& model, Backend& backend, const std::string& text,
                  Ids target) {
  Ids source;
  model.subwords().source.encode(text, source);
  if (!target.empty() && target.back() == model.subwords().target.vocabulary().end()) {
    target.pop_back();
  }
  if (!target.empty() && target.front() == model.frame().first) {
    target.erase(target.begin());
  }
  const AttentionMaps maps =
      inspect_attention(model, backend, std::move(source), std::move(target));
  Json json{{"layers", maps.layers(AttentionPart::cross)},
            {"heads", maps.heads()},
            {"source_tokens", maps.source_tokens},
            {"target_tokens", maps.target_tokens},
            {"decoder_tokens", maps.decoder_tokens}};
  for (std::int64_t head = 0; head < maps.heads(); ++head) {
    json["colours"].push_back(head_colour(head, maps.heads()));
  }
  for (const AttentionPart part : kAttentionParts) {
    json[std::string(name_of(part))] = Json::array();
  }
  for (const AttentionMap& map : maps.maps) {
    json[std::string(name_of(map.part))].push_back(map_json(map));
  }
  return json;
}

// The batcher knows lengths roughly alone; a batch of its making is cut only where it was far
// wrong.
ModelLoading loading_of(const EngineOptions& options) {
  ModelLoading loading = options.loading;
  loading.text.batch_tokens = 2 * options.batch_tokens;
  return loading;
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : backend_(*(check(!options.workers.empty(), "serve: there is no worker"),
                 options.workers.front().backend)),
      pool_(options.models, options.workers, loading_of(options)),
      batcher_(options.batcher, [this](const std::vector<Unit>& batch) { run(batch); }) {}

Engine::~Engine() { close(); }

void Engine::submit(std::shared_ptr<TranslationJob> job) {
  job->search.alignments = job->search.alignments || !job->glossary.empty();
  job->group = job->model + "\n" + job->search.key();
  job->forced.resize(job->sentences.size());
  if (!job->forced.empty()) {
    job->forced.front().prefix = job->prefix;
  }
  job->tokens.clear();
  for (const std::string& sentence : job->sentences) {
    job->tokens.push_back(rough_tokens(sentence));
  }
  batcher_.submit(job);
}

void Engine::submit(std::shared_ptr<TaskJob> job) {
  job->group = job->model + "\n" + job->task;
  job->tokens = {rough_tokens(job->request.value("q", ""))};
  batcher_.submit(job);
}

void Engine::run(const std::vector<Unit>& batch) {
  if (std::dynamic_pointer_cast<TaskJob>(batch.front().job)) {
    for (const Unit& unit : batch) {
      run_task(std::static_pointer_cast<TaskJob>(unit.job));
    }
    return;
  }
  try {
    const std::shared_ptr<LoadedModel> model = pool_.get(job_of(batch.front()).model);
    translate(batch, *model);
  } catch (...) {
    if (batch.size() == 1) {
      batch.front().job->fail(std::current_exception());
      return;
    }
    for (const Unit& unit : batch) {  // one of them is to blame, the others shall not suffer
      run({unit});
    }
  }
}

void Engine::run_task(const std::shared_ptr<TaskJob>& job) {
  try {
    const std::shared_ptr<LoadedModel> model = pool_.get(job->model);
    if (job->task == "beam") {
      SearchChoice choice{.scores = true};
      if (job->request.contains("beam")) {
        choice.beam = job->request["beam"].get<std::int64_t>();
      }
      job->done(beam_tree(model->model(), model->translator(choice),
                          job->request["q"].get<std::string>()));
      return;
    }
    job->done(explanation_json(explain(model->model(), backend_, explain_request(job->request))));
  } catch (...) {
    job->fail(std::current_exception());
  }
}

void Engine::translate(const std::vector<Unit>& batch, LoadedModel& model) {
  const TranslationJob& first = job_of(batch.front());
  LineTranslator translator(model.translator(first.search),
                            {.source_language = model.model().info().source_language,
                             .target_language = model.model().info().target_language});
  std::vector<SourceLine> lines;
  for (const Unit& unit : batch) {
    const TranslationJob& job = job_of(unit);
    lines.push_back({.text = job.sentences[unit.sentence],
                     .prefix = job.forced[unit.sentence].prefix,
                     .number = 1});
  }
  JobWatch watch(batch, model.model().subwords().target);
  const auto answers = translator.translate(lines, &watch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    TranslationJob& job = job_of(batch[i]);
    if (job.is_over() || job.is_gone()) {
      job.fail(std::make_exception_ptr(HttpError(499, "the client has gone")));
    } else if (job.is_late()) {
      job.fail(std::make_exception_ptr(
          HttpError(504, "the answer was not ready within the request's deadline", 1)));
    } else {
      finish(batch[i], model, answers[i]);
    }
  }
}

// Where a term of the glossary is missing, the sentence is translated again from there.
bool Engine::needs_another_round(const Unit& unit, LoadedModel& model,
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
      forced.prefix.empty() ? 0 : model.translator(job.search).prefix_ids(forced.prefix).size();
  const std::optional<std::string> next =
      next_prefix(sentence, uses, best.parts.front(), given, model.model().subwords());
  forced.prefix = next.value_or(forced.prefix);
  return next.has_value();
}

void Engine::finish(const Unit& unit, LoadedModel& model,
                    const std::vector<LineTranslation>& lines) {
  TranslationJob& job = job_of(unit);
  if (!job.glossary.empty() && needs_another_round(unit, model, lines.front())) {
    batcher_.again(unit);
    return;
  }
  const SubwordPair& subwords = model.model().subwords();
  SentenceResult result;
  for (const LineTranslation& line : lines) {
    result.n_best.push_back(hypothesis_of(line, subwords.target.vocabulary()));
    if (job.search.alignments) {
      align(line, subwords.target.vocabulary().end(), result.n_best.back());
    }
  }
  for (const Translation& part : lines.front().parts) {
    append(result.source_tokens, pieces_of(part.source, subwords.source.vocabulary()));
  }
  if (job.attention && lines.front().parts.size() == 1) {
    result.attention = attention_of(model.model(), backend_, job.sentences[unit.sentence],
                                    lines.front().parts.front().hypothesis.ids);
  }
  job.finish(unit.sentence, std::move(result));
}

}  // namespace yona::serve
