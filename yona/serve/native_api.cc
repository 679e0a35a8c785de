#include "yona/serve/native_api.h"

#include <algorithm>
#include <cmath>

#include "yona/serve/detection.h"
#include "yona/serve/native_fields.h"

namespace yona::serve {

namespace {

Json model_json(const ModelSummary& model) {
  return {{"id", model.id},           {"source", model.source},         {"target", model.target},
          {"loaded", model.loaded},   {"layers", model.layers},         {"heads", model.heads},
          {"d_model", model.d_model}, {"vocabulary", model.vocabulary}, {"family", model.family}};
}

void list_models(const ApiHost& host, Exchange& exchange) {
  Json models = Json::array();
  for (const ModelSummary& model : host.service.models()) {
    models.push_back(model_json(model));
  }
  exchange.respond(json_response({{"models", models}}));
}

// By name, by languages, by what the text seems to be; or the only one there is.
ModelSummary chosen_model(const ApiHost& host, const RequestFields& fields) {
  const std::vector<ModelSummary> models = host.service.models();
  if (fields.has("model")) {
    return model_named(models, fields.text("model"));
  }
  if (!fields.has("source") && !fields.has("target") && models.size() == 1) {
    return models.front();
  }
  if (!fields.has("target")) {
    throw HttpError(400, "\"target\" is missing: the language to translate into, or \"model\"");
  }
  const std::vector<std::string> texts = fields.texts("q");
  const std::string source = fields.text("source", "auto");
  return model_for(
      models,
      source == "auto" ? detected_source(texts, models, fields.text("target")).language : source,
      fields.text("target"));
}

Split split_of(const RequestFields& fields) {
  const std::string word = fields.text("split", "sentences");
  return word == "none" ? Split::none : word == "lines" ? Split::lines : Split::sentences;
}

std::vector<GlossaryTerm> glossary_of(const RequestFields& fields) {
  std::vector<GlossaryTerm> terms;
  for (const Json& entry : fields.value("glossary")) {
    const bool is_kept = entry.contains("keep");
    if (is_kept == entry.contains("source") || is_kept == entry.contains("target")) {
      throw HttpError(400,
                      "\"glossary\": expected objects with \"keep\", or with \"source\" and "
                      "\"target\"");
    }
    terms.push_back({entry.value(is_kept ? "keep" : "source", ""),
                     entry.value(is_kept ? "keep" : "target", "")});
    if (terms.back().source.empty() || terms.back().target.empty()) {
      throw HttpError(400, "\"glossary\": a term is empty");
    }
  }
  return terms;
}

// What was asked for, as far as the answer needs to know.
struct Wanted {
  ModelSummary model;
  bool scores = false, alignments = false, attention = false, is_n_best = false;
  Clock::time_point start = Clock::now();
};

Json hypotheses_json(const SentenceResult& result) {
  Json list = Json::array();
  for (const HypothesisText& hypothesis : result.n_best) {
    list.push_back({{"text", hypothesis.text},
                    {"score", hypothesis.score},
                    {"tokens", hypothesis.tokens},
                    {"token_scores", hypothesis.token_scores}});
  }
  return list;
}

// What is known of one sentence.
void add_sentence(Json& json, const SentenceResult& result, const Wanted& wanted) {
  const HypothesisText& best = result.n_best.front();
  json["source_tokens"] = result.source_tokens;
  json["tokens"] = best.tokens;
  if (wanted.scores) {
    json["token_scores"] = best.token_scores;
  }
  if (wanted.is_n_best) {
    json["n_best"] = hypotheses_json(result);
  }
  if (wanted.alignments) {
    json["alignment"] = result.alignment;
  }
  if (wanted.attention) {
    json["attention"] = result.attention;
  }
}

Json translation_json(const Texts& texts, std::size_t text, std::span<const SentenceResult> results,
                      const Wanted& wanted) {
  Json json{{"text", texts.translation(text, results, 0)}};
  if (wanted.scores) {
    double score = 0;
    for (const SentenceResult& result : results) {
      score += result.n_best.front().score;
    }
    json["score"] = score;
  }
  if (results.size() == 1) {
    add_sentence(json, results.front(), wanted);
    return json;
  }
  Json segments = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json segment{{"source", texts.segments(text).sentences[i]},
                 {"text", results[i].n_best.front().text}};
    add_sentence(segment, results[i], wanted);
    segments.push_back(std::move(segment));
  }
  json["segments"] = std::move(segments);
  return json;
}

Json answer_json(const Texts& texts, const std::vector<SentenceResult>& results,
                 const Wanted& wanted) {
  Json translations = Json::array();
  for (std::size_t i = 0; i < texts.count(); ++i) {
    translations.push_back(translation_json(texts, i, texts.results_of(i, results), wanted));
  }
  constexpr double kTenths = 1e4;  // of a millisecond in a second
  return {{"translations", std::move(translations)},
          {"model", wanted.model.id},
          {"milliseconds", std::round(seconds_since(wanted.start) * kTenths) / 10}};
}

Clock::time_point deadline_of(const ApiHost& host, const RequestFields& fields) {
  const double most = host.deadline.count();
  const double seconds = std::min(fields.number("deadline").value_or(most), most);
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::shared_ptr<TranslationJob> job_for(const ApiHost& host, const RequestFields& fields,
                                        const Texts& texts, Wanted& wanted) {
  auto job = std::make_shared<TranslationJob>();
  job->model = wanted.model.id;
  job->sentences = texts.sentences();
  job->prefix = fields.text("prefix");
  job->glossary = glossary_of(fields);
  job->deadline = deadline_of(host, fields);
  wanted.scores = fields.boolean("scores");
  wanted.alignments = fields.boolean("alignments");
  wanted.attention = job->attention = fields.boolean("attention");
  wanted.is_n_best = fields.has("n_best") || wanted.scores;
  job->search = {.beam = fields.integer("beam"),
                 .max_length = fields.integer("max_length"),
                 .length_penalty = fields.number("length_penalty"),
                 .n_best = fields.integer("n_best").value_or(1),
                 .scores = wanted.scores || wanted.is_n_best,
                 .alignments = wanted.alignments};
  if (!job->prefix.empty() && texts.count() != 1) {
    throw HttpError(400, "\"prefix\": belongs to one text; give \"q\" as a text");
  }
  return job;
}

// Tells what has been translated as it grows. Of the thread that computes.
class StreamedText {
 public:
  StreamedText(std::shared_ptr<Exchange> exchange, std::shared_ptr<const Texts> texts)
      : exchange_(std::move(exchange)),
        texts_(std::move(texts)),
        parts_(texts_->segments(0).sentences.size()) {}

  void operator()(const SentenceProgress& progress) {
    if (!has_begun_) {
      begin();
    }
    parts_[progress.sentence] = progress.text;
    exchange_->write(server_sent_event("token", {{"index", progress.tokens - 1},
                                                 {"sentence", progress.sentence},
                                                 {"token", progress.token},
                                                 {"text", texts_->joined(0, parts_)}}));
  }
  void end(std::string_view name, const Json& data) {
    if (!has_begun_) {
      begin();
    }
    exchange_->write(server_sent_event(name, data));
    exchange_->end_stream();
  }
  // What fails before anything was sent is answered with a status.
  void fail(const std::exception_ptr& error) {
    HttpResponse response = response_of(error);
    if (has_begun_) {
      end("error", Json::parse(response.body));
    } else {
      exchange_->respond(std::move(response));
    }
  }

 private:
  void begin() {
    has_begun_ = true;
    exchange_->begin_stream(
        {.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  }

  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<const Texts> texts_;
  std::vector<std::string> parts_;
  bool has_begun_ = false;
};

void answer_whole(const std::shared_ptr<Exchange>& exchange, TranslationJob& job,
                  const std::shared_ptr<const Texts>& texts, const Wanted& wanted) {
  job.done = [exchange, texts, wanted](const std::vector<SentenceResult>& results) {
    exchange->respond(json_response(answer_json(*texts, results, wanted)));
  };
  job.failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(response_of(error));
  };
}

void answer_streamed(const std::shared_ptr<Exchange>& exchange, TranslationJob& job,
                     const std::shared_ptr<const Texts>& texts, const Wanted& wanted) {
  const auto stream = std::make_shared<StreamedText>(exchange, texts);
  job.progress = [stream](const SentenceProgress& progress) { (*stream)(progress); };
  job.done = [stream, texts, wanted](const std::vector<SentenceResult>& results) {
    stream->end("done", answer_json(*texts, results, wanted));
  };
  job.failed = [stream](const std::exception_ptr& error) { stream->fail(error); };
}

void translate_texts(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  host.check_capacity();
  const HttpRequest& request = exchange->request();
  const RequestFields fields(request, translate_fields(), UnknownFields::refuse);
  Wanted wanted{.model = chosen_model(host, fields)};
  const auto texts =
      std::make_shared<const Texts>(fields.texts("q"), split_of(fields), wanted.model, host.limits);
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, texts->characters());
  const std::shared_ptr<TranslationJob> job = job_for(host, fields, *texts, wanted);
  job->gone = exchange->gone();
  if (!fields.boolean("stream")) {
    answer_whole(exchange, *job, texts, wanted);
  } else if (texts->count() == 1) {
    answer_streamed(exchange, *job, texts, wanted);
  } else {
    throw HttpError(400, "\"stream\": one text at a time; give \"q\" as a text");
  }
  if (job->sentences.empty()) {
    job->done({});
  } else {
    host.service.submit(job);
  }
}

void run_task(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
              const std::string& task, const Fields& takes) {
  host.check_capacity();
  const HttpRequest& request = exchange->request();
  const RequestFields fields(request, takes, UnknownFields::refuse);
  const std::string text = fields.text("q");
  const auto job = std::make_shared<TaskJob>();
  job->model = chosen_model(host, fields).id;
  job->task = task;
  job->request = fields.all();
  job->deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(host.deadline);
  job->gone = exchange->gone();
  job->done = [exchange](const Json& answer) { exchange->respond(json_response(answer)); };
  job->failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(response_of(error));
  };
  const std::int64_t characters = character_count(text);
  if (characters > host.limits.characters) {
    throw HttpError(400, fmt::format("the request has {} characters; {} are allowed at most",
                                     characters, host.limits.characters));
  }
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, characters);
  host.service.submit(job);
}

}  // namespace

std::vector<Route> native_routes(const ApiHost& host) {
  const auto task = [&host](const std::string& name, const Fields& takes) {
    return [&host, name, takes](const std::shared_ptr<Exchange>& exchange) {
      run_task(host, exchange, name, takes);
    };
  };
  return {{.method = "GET",
           .path = "/v1/models",
           .summary = "The models that are served.",
           .gives = models_answer(),
           .handler = [&host](const auto& exchange) { list_models(host, *exchange); }},
          {.method = "POST",
           .path = "/v1/translate",
           .summary = "Translates texts; with \"stream\", as server-sent events while it grows.",
           .takes = translate_fields(),
           .gives = translate_answer(),
           .handler = [&host](const auto& exchange) { translate_texts(host, exchange); }},
          {.method = "POST",
           .path = "/v1/beam",
           .summary = "The tree of a sentence's beam search.",
           .takes = beam_fields(),
           .gives = beam_answer(),
           .handler = task("beam", beam_fields())},
          {.method = "POST",
           .path = "/v1/explain",
           .summary = "One step through the model with its real numbers.",
           .takes = explain_fields(),
           .gives = {},
           .handler = task("explain", explain_fields())}};
}

}  // namespace yona::serve
