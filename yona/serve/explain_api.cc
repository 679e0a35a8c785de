#include "yona/serve/explain_api.h"

#include <algorithm>

#include "yona/serve/openai_request.h"

namespace yona::serve {

namespace {

template <class Summaries>
bool has_model(const Summaries& models, const std::string& id) {
  return std::any_of(models.begin(), models.end(),
                     [&](const auto& model) { return model.id == id; });
}

void check_prompt_fields(const ApiHost& host, const RequestFields& fields) {
  for (const char* name : {"target_prefix", "source", "target"}) {
    if (fields.has(name)) {
      throw HttpError(400, fmt::format("\"{}\" is of translation models; a prompt has none", name));
    }
  }
  if (fields.text("stack", "decoder") != "decoder") {
    throw HttpError(400, "\"stack\": a language model has the decoder's attention alone");
  }
  if (fields.text("prompt").empty()) {
    throw HttpError(400, "\"prompt\" is empty; give at least one word");
  }
  if (host.generation == nullptr) {
    throw HttpError(404, "no language model is served here; /v1/models lists what is");
  }
}

}  // namespace

bool explains_prompt(const ApiHost& host, const RequestFields& fields) {
  const bool is_prompt = fields.has("prompt");
  if (is_prompt == fields.has("q")) {
    throw HttpError(400,
                    "give one of \"q\", a sentence for a translation model, and \"prompt\", a text "
                    "for a language model");
  }
  const std::string model = fields.text("model");
  if (is_prompt && has_model(host.service.models(), model)) {
    throw HttpError(400, fmt::format("the model '{}' translates: give \"q\", a sentence, in place "
                                     "of \"prompt\"",
                                     model));
  }
  if (!is_prompt && host.generation != nullptr && has_model(host.generation->generators(), model)) {
    throw HttpError(
        400, fmt::format("the model '{}' is a language model: give \"prompt\" in place of \"q\"",
                         model));
  }
  if (is_prompt) {
    check_prompt_fields(host, fields);
  }
  return is_prompt;
}

void explain_prompt(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
                    const RequestFields& fields) {
  const auto job = std::make_shared<GenerationJob>();
  job->prompts = {fields.text("prompt")};
  job->options.max_new = 1;
  job->step = {.layer = fields.integer("layer").value_or(0),
               .head = fields.integer("head").value_or(0),
               .query = fields.integer("query")};
  complete_job(host, *exchange, fields, chosen_generator(*host.generation, fields), *job);
  job->explain = [exchange](const Json& answer) { exchange->respond(large_json_response(answer)); };
  job->done = [](const GenerationUsage& /*usage*/) {};
  job->failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(response_of(error));
  };
  host.generation->submit(job);
}

}  // namespace yona::serve
