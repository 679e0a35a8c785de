#include "yona/serve/openai_api.h"

#include <cmath>
#include <ctime>

#include "yona/inspect/colour.h"
#include "yona/serve/native_answer.h"
#include "yona/serve/openai_answer.h"
#include "yona/serve/openai_fields.h"
#include "yona/serve/openai_request.h"
#include "yona/text/utf8.h"

namespace yona::serve {

namespace {

Json look_json(const PromptLook& look) {
  Json tokens = Json::array(), colours = Json::array(), layers = Json::array();
  for (const std::string& bytes : look.tokens) {
    tokens.push_back(lossy_utf8(bytes));
  }
  const std::int64_t heads = look.maps.empty() ? 0 : look.maps.front().heads;
  for (std::int64_t head = 0; head < heads; ++head) {
    colours.push_back(head_colour(head, heads));
  }
  for (const AttentionMap& map : look.maps) {
    Json weights = Json::array();
    for (const float weight : map.weights) {
      weights.push_back(std::lround(255.0F * weight));
    }
    layers.push_back(std::move(weights));
  }
  return {{"tokens", tokens}, {"heads", heads}, {"colours", colours}, {"layers", layers}};
}

void answer_look(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const RequestFields fields(exchange->request(), prompt_attention_fields(), UnknownFields::refuse);
  const auto job = std::make_shared<GenerationJob>();
  job->prompts = {fields.text("prompt")};
  job->options.max_new = 1;
  complete_job(host, *exchange, fields, chosen_generator(*host.generation, fields), *job);
  job->look = [exchange](const PromptLook& look) {
    exchange->respond({.body = look_json(look).dump() + "\n"});
  };
  job->done = [](const GenerationUsage& /*usage*/) {};
  job->failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(openai_error(error));
  };
  host.generation->submit(job);
}

void answer_generation(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
                       OpenAiKind kind) {
  const HttpRequest& request = exchange->request();
  const bool is_chat = kind == OpenAiKind::chat;
  const RequestFields fields(request, is_chat ? chat_fields() : completion_fields(),
                             UnknownFields::refuse);
  const GeneratorSummary model = chosen_generator(*host.generation, fields);
  if (is_chat && !model.has_chat) {
    throw HttpError(
        400, fmt::format("the model '{}' has no chat template; use /v1/completions", model.id));
  }
  const std::shared_ptr<GenerationJob> job = is_chat ? chat_job(fields) : completion_job(fields);
  complete_job(host, *exchange, fields, model, *job);
  const Json stream_options = fields.value("stream_options");
  const auto answer = std::make_shared<OpenAiAnswer>(
      exchange,
      OpenAiAnswerOptions{.kind = kind,
                          .model = model.id,
                          .answers = job->options.answers,
                          .prompts = job->prompt_count(),
                          .has_logprobs = job->options.logprobs >= 0,
                          .streams = fields.boolean("stream"),
                          .includes_usage = stream_options.is_object() &&
                                            stream_options.value("include_usage", Json()) == true});
  job->grow = [answer](const GenerationPiece& piece) { answer->grow(piece); };
  job->done = [answer](const GenerationUsage& usage) { answer->end(usage); };
  job->failed = [answer](const std::exception_ptr& error) { answer->fail(error); };
  host.generation->submit(job);
}

Json data_entry(const Json& more) {
  static const std::time_t began = std::time(nullptr);
  Json entry{{"id", more["id"]}, {"object", "model"}, {"created", began}, {"owned_by", "yona"}};
  entry.update(more);
  return entry;
}

Json encoder_entry(const EncoderSummary& model) {
  Json entry{{"id", model.id},
             {"task", model.takes_pictures() ? "image-classification"
                      : model.labels.empty() ? "embedding"
                                             : "classification"},
             {"family", model.family},
             {"layers", model.layers},
             {"heads", model.heads},
             {"d_model", model.d_model},
             {"context", model.context}};
  if (!model.takes_pictures()) {
    entry["vocabulary"] = model.vocabulary;
  }
  if (!model.labels.empty()) {
    entry["labels"] = model.labels;
  }
  return entry;
}

}  // namespace

Json models_list(const ApiHost& host) {
  Json own = Json::array(), data = Json::array();
  for (const ModelSummary& model : host.service.models()) {
    own.push_back(model_json(model));
    Json entry = model_json(model);
    entry["task"] = "translation";
    data.push_back(data_entry(entry));
  }
  if (host.generation != nullptr) {
    for (const GeneratorSummary& model : host.generation->generators()) {
      data.push_back(data_entry({{"id", model.id},
                                 {"task", "generation"},
                                 {"family", model.family},
                                 {"layers", model.layers},
                                 {"heads", model.heads},
                                 {"d_model", model.d_model},
                                 {"vocabulary", model.vocabulary},
                                 {"context", model.context},
                                 {"chat", model.has_chat}}));
    }
  }
  if (host.encoding != nullptr) {
    for (const EncoderSummary& model : host.encoding->encoders()) {
      data.push_back(data_entry(encoder_entry(model)));
    }
  }
  return {{"object", "list"}, {"data", data}, {"models", own}};
}

Json model_entry(const ApiHost& host, std::string_view name) {
  const Json list = models_list(host);
  for (const Json& entry : list["data"]) {
    if (entry["id"].get_ref<const std::string&>() == name) {
      return entry;
    }
  }
  throw HttpError(404, fmt::format("there is no model '{}'; /v1/models lists what there is", name));
}

std::vector<Route> openai_routes(const ApiHost& host) {
  const auto handler = [&host](OpenAiKind kind) {
    return [&host, kind](const std::shared_ptr<Exchange>& exchange) {
      answer_generation(host, exchange, kind);
    };
  };
  return {{.method = "POST",
           .path = "/v1/completions",
           .summary = "Continues texts with a language model, as OpenAI's API does.",
           .takes = completion_fields(),
           .gives = completion_answer(),
           .queue = Queue::generation,
           .error_gives = openai_error_answer(),
           .error = openai_error,
           .handler = handler(OpenAiKind::completion)},
          {.method = "POST",
           .path = "/v1/prompt_attention",
           .summary = "What every head of a language model looks at in a prompt.",
           .takes = prompt_attention_fields(),
           .gives = prompt_attention_answer(),
           .queue = Queue::generation,
           .error_gives = openai_error_answer(),
           .error = openai_error,
           .handler =
               [&host](const std::shared_ptr<Exchange>& exchange) { answer_look(host, exchange); }},
          {.method = "POST",
           .path = "/v1/chat/completions",
           .summary = "Answers a conversation, as OpenAI's API does.",
           .takes = chat_fields(),
           .gives = chat_answer(),
           .queue = Queue::generation,
           .error_gives = openai_error_answer(),
           .error = openai_error,
           .handler = handler(OpenAiKind::chat)}};
}

}  // namespace yona::serve
