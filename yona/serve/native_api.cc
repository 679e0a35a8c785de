#include "yona/serve/native_api.h"

#include "yona/serve/explain_api.h"
#include "yona/serve/joined_answer.h"
#include "yona/serve/native_fields.h"
#include "yona/serve/native_request.h"
#include "yona/serve/openai_answer.h"
#include "yona/serve/openai_api.h"
#include "yona/serve/openai_fields.h"
#include "yona/serve/streamed_text.h"

namespace yona::serve {

namespace {

constexpr std::string_view kModels = "/v1/models/";

using Joined = JoinedAnswer<TextPieces>;

void answer_whole(const std::shared_ptr<Joined>& joined, const TextGroup& group,
                  TranslationJob& job, const std::shared_ptr<const Texts>& texts,
                  const WantedAnswer& wanted) {
  job.done = [joined, group, texts, wanted](std::vector<SentenceResult> results) {
    joined->put(group, translation_texts(*texts, std::move(results), wanted));
  };
  job.failed = [joined](const std::exception_ptr& error) { joined->fail(error); };
}

void answer_streamed(const std::shared_ptr<Exchange>& exchange, TranslationJob& job,
                     const std::shared_ptr<const Texts>& texts, const WantedAnswer& wanted) {
  const auto stream = std::make_shared<StreamedText>(exchange, texts);
  job.progress = [stream](const SentenceProgress& progress) { stream->grow(progress); };
  job.done = [stream, texts, wanted](std::vector<SentenceResult> results) {
    stream->end(answer_text(translation_texts(*texts, std::move(results), wanted), wanted));
  };
  job.failed = [stream](const std::exception_ptr& error) { stream->fail(error); };
}

// The texts that go to one model, and the job that they are.
struct Part {
  TextGroup group;
  std::shared_ptr<const Texts> texts;
  WantedAnswer wanted;
  std::shared_ptr<TranslationJob> job;
};

// The texts by their models: those of a list may be in different languages.
std::vector<Part> parts_of(const ApiHost& host, const RequestFields& fields) {
  const std::vector<std::string> given = fields.texts("q");
  check_limits(given, host.limits);
  std::vector<ModelSummary> models;
  std::vector<std::string> names;
  const bool is_auto = !fields.has("model") && fields.text("source", "auto") == "auto";
  for (const std::string& text : given) {
    models.push_back(is_auto || models.empty() ? chosen_model(host, fields, text) : models.front());
    names.push_back(models.back().id);
  }
  std::vector<Part> parts;
  std::int64_t sentences = 0;
  const auto attention = std::make_shared<AttentionCount>();
  for (TextGroup& group : grouped(given, names)) {
    Part& part = parts.emplace_back();
    part.wanted.model = models[group.places.front()];
    part.texts = std::make_shared<const Texts>(group.texts, split_of(fields), part.wanted.model,
                                               host.limits);
    sentences += part.texts->sentence_count();
    check_sentences(sentences, host.limits);
    part.job = job_for(host, fields, *part.texts, part.wanted);
    part.job->attention_count = attention;
    part.group = std::move(group);
  }
  for (Part& part : parts) {
    part.wanted.names_models = parts.size() > 1;
  }
  return parts;
}

void submit(const ApiHost& host, const std::shared_ptr<TranslationJob>& job) {
  if (job->sentences.empty()) {
    job->done({});
  } else {
    host.service.submit(job);
  }
}

void translate_texts(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const RequestFields fields(request, translate_fields(), UnknownFields::refuse);
  std::vector<Part> parts = parts_of(host, fields);
  std::int64_t characters = 0;
  std::size_t texts = 0;
  for (const Part& part : parts) {
    part.job->gone = exchange->gone();
    characters += part.texts->characters();
    texts += part.texts->count();
  }
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, characters);
  if (fields.boolean("stream")) {
    if (texts != 1) {
      throw HttpError(400, "\"stream\": one text at a time; give \"q\" as a text");
    }
    answer_streamed(exchange, *parts.front().job, parts.front().texts, parts.front().wanted);
    submit(host, parts.front().job);
    return;
  }
  const WantedAnswer wanted = parts.empty() ? WantedAnswer{} : parts.front().wanted;
  const auto answer = [wanted](std::vector<TextPieces> translations) {
    HttpResponse response{.rest = answer_text(std::move(translations), wanted)};
    response.rest.append("\n");
    return response;
  };
  if (parts.empty()) {
    exchange->respond(answer({}));
    return;
  }
  const auto joined = std::make_shared<Joined>(exchange, texts, answer);
  std::vector<std::shared_ptr<TranslationJob>> jobs;
  for (const Part& part : parts) {
    answer_whole(joined, part.group, *part.job, part.texts, part.wanted);
    part.job->cancelled = joined->cancelled();
    if (!part.job->sentences.empty()) {
      jobs.push_back(part.job);
    }
  }
  try {
    for (const Part& part : parts) {
      if (part.job->sentences.empty()) {
        part.job->done({});
      }
    }
    host.service.submit_parts(jobs);
  } catch (...) {
    joined->fail(std::current_exception());
  }
}

void run_task(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
              const std::string& task, const RequestFields& fields) {
  const HttpRequest& request = exchange->request();
  const std::string text = fields.text("q");
  const auto job = std::make_shared<TaskJob>();
  job->model = chosen_model(host, fields, text).id;
  job->task = task;
  job->request = fields.all();
  job->deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(host.deadline);
  job->gone = exchange->gone();
  job->done = [exchange](const Json& answer) { exchange->respond(large_json_response(answer)); };
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

void answer_beam(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  run_task(host, exchange, "beam",
           RequestFields(exchange->request(), beam_fields(), UnknownFields::refuse));
}

void answer_explain(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const RequestFields fields(exchange->request(), explain_fields(), UnknownFields::refuse);
  if (explains_prompt(host, fields)) {
    explain_prompt(host, exchange, fields);
  } else {
    run_task(host, exchange, "explain", fields);
  }
}

}  // namespace

std::vector<Route> native_routes(const ApiHost& host) {
  return {
      {.method = "GET",
       .path = "/v1/models",
       .summary = "The models that are served.",
       .gives = models_answer(),
       .handler =
           [&host](const auto& exchange) { exchange->respond(json_response(models_list(host))); }},
      {.method = "GET",
       .path = std::string(kModels) + "*",
       .summary = "One of the models that are served, by its id.",
       .gives = openai_model_fields(),
       .error_gives = openai_error_answer(),
       .error = openai_error,
       .handler =
           [&host](const auto& exchange) {
             const std::string_view path = exchange->request().path;
             exchange->respond(json_response(model_entry(host, path.substr(kModels.size()))));
           }},
      {.method = "POST",
       .path = "/v1/translate",
       .summary = "Translates texts; with \"stream\", as server-sent events while it grows.",
       .takes = translate_fields(),
       .gives = translate_answer(),
       .queue = Queue::translation,
       .handler = [&host](const auto& exchange) { translate_texts(host, exchange); }},
      {.method = "POST",
       .path = "/v1/beam",
       .summary = "The tree of a sentence's beam search.",
       .takes = beam_fields(),
       .gives = beam_answer(),
       .queue = Queue::translation,
       .handler = [&host](const auto& exchange) { answer_beam(host, exchange); }},
      {.method = "POST",
       .path = "/v1/explain",
       .summary = "One step through a translation model or a language model with its real numbers.",
       .takes = explain_fields(),
       .gives = {},
       .queue = Queue::translation_or_generation,
       .handler = [&host](const auto& exchange) { answer_explain(host, exchange); }}};
}

}  // namespace yona::serve
