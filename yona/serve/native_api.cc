#include "yona/serve/native_api.h"

#include "yona/serve/native_fields.h"
#include "yona/serve/native_request.h"
#include "yona/serve/streamed_text.h"

namespace yona::serve {

namespace {

void list_models(const ApiHost& host, Exchange& exchange) {
  Json models = Json::array();
  for (const ModelSummary& model : host.service.models()) {
    models.push_back(model_json(model));
  }
  exchange.respond(json_response({{"models", models}}));
}

void answer_whole(const std::shared_ptr<Exchange>& exchange, TranslationJob& job,
                  const std::shared_ptr<const Texts>& texts, const WantedAnswer& wanted) {
  job.done = [exchange, texts, wanted](const std::vector<SentenceResult>& results) {
    exchange->respond(json_response(answer_json(*texts, results, wanted)));
  };
  job.failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(response_of(error));
  };
}

void answer_streamed(const std::shared_ptr<Exchange>& exchange, TranslationJob& job,
                     const std::shared_ptr<const Texts>& texts, const WantedAnswer& wanted) {
  const auto stream = std::make_shared<StreamedText>(exchange, texts);
  job.progress = [stream](const SentenceProgress& progress) { stream->grow(progress); };
  job.done = [stream, texts, wanted](const std::vector<SentenceResult>& results) {
    stream->end(answer_json(*texts, results, wanted));
  };
  job.failed = [stream](const std::exception_ptr& error) { stream->fail(error); };
}

void translate_texts(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const RequestFields fields(request, translate_fields(), UnknownFields::refuse);
  WantedAnswer wanted{.model = chosen_model(host, fields)};
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
           .queues = true,
           .handler = [&host](const auto& exchange) { translate_texts(host, exchange); }},
          {.method = "POST",
           .path = "/v1/beam",
           .summary = "The tree of a sentence's beam search.",
           .takes = beam_fields(),
           .gives = beam_answer(),
           .queues = true,
           .handler = task("beam", beam_fields())},
          {.method = "POST",
           .path = "/v1/explain",
           .summary = "One step through the model with its real numbers.",
           .takes = explain_fields(),
           .gives = {},
           .queues = true,
           .handler = task("explain", explain_fields())}};
}

}  // namespace yona::serve
