#include "yona/serve/openai_request.h"

#include <algorithm>
#include <random>

#include "yona/serve/texts.h"

namespace yona::serve {

namespace {

template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) {
    throw HttpError(400, fmt::format(message, std::forward<Args>(args)...));
  }
}

std::uint64_t drawn_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

// The schema that an answer must have, as text; empty: any answer.
std::string schema_of_format(const Json& format) {
  if (format.is_null()) {
    return "";
  }
  const std::string type = format.contains("type") && format["type"].is_string()
                               ? format["type"].get<std::string>()
                               : "";
  if (type == "text") {
    return "";
  }
  if (type == "json_object") {
    return R"({"type":"object"})";
  }
  require(type == "json_schema",
          "\"response_format\": expected the type text, json_object or json_schema");
  const Json described = format.value("json_schema", Json());
  require(described.is_object() && described.contains("schema") &&
              (described["schema"].is_object() || described["schema"].is_boolean()),
          "\"response_format\": expected {{\"type\": \"json_schema\", \"json_schema\": "
          "{{\"schema\": …}}}}");
  return described["schema"].dump();
}

GenerateOptions options_of(const RequestFields& fields) {
  GenerateOptions options;
  options.max_new = fields.integer("max_tokens");
  options.temperature = fields.number("temperature").value_or(1.0);
  constexpr double kLeastTopP = 1e-12;  // 0, in OpenAI's API, keeps the best token
  options.top_p = std::max(fields.number("top_p").value_or(1.0), kLeastTopP);
  options.top_k = fields.integer("top_k").value_or(0);
  options.min_p = fields.number("min_p").value_or(0.0);
  options.repetition_penalty = fields.number("repetition_penalty").value_or(1.0);
  options.presence_penalty = fields.number("presence_penalty").value_or(0.0);
  options.frequency_penalty = fields.number("frequency_penalty").value_or(0.0);
  options.seed =
      fields.has("seed") ? static_cast<std::uint64_t>(*fields.integer("seed")) : drawn_seed();
  options.answers = fields.integer("n").value_or(1);
  options.stop = fields.texts("stop");
  require(std::none_of(options.stop.begin(), options.stop.end(),
                       [](const std::string& stop) { return stop.empty(); }),
          "\"stop\": a string is empty");
  constexpr std::size_t kMostStops = 16;
  require(options.stop.size() <= kMostStops, "\"stop\": {} strings; at most {} are allowed",
          options.stop.size(), kMostStops);
  options.json_schema = schema_of_format(fields.value("response_format"));
  options.regex = fields.text("regex");
  require(options.regex.empty() || options.json_schema.empty(),
          "give \"regex\" or \"response_format\", not both");
  return options;
}

// A message that a template can read: a role, and a text or parts.
void check_message(const Json& message, std::size_t number) {
  require(message.contains("role") && message["role"].is_string(),
          "\"messages\": number {} has no \"role\"", number);
  const Json content = message.value("content", Json());
  require(content.is_null() || content.is_string() || content.is_array(),
          "\"messages\": \"content\" of number {}: expected a text or a list of parts", number);
  for (const Json& part : content.is_array() ? content : Json::array()) {
    require(part.is_object() && part.value("type", Json()) == "text" && part.contains("text") &&
                part["text"].is_string(),
            "\"messages\": number {} has a part that is not a text, which is not supported",
            number);
  }
}

}  // namespace

GeneratorSummary chosen_generator(const GenerationService& service, const RequestFields& fields) {
  const std::vector<GeneratorSummary> all = service.generators();
  if (!fields.has("model") && all.size() == 1) {
    return all.front();
  }
  const std::string id = fields.text("model");
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const GeneratorSummary& summary) { return summary.id == id; });
  if (found != all.end()) {
    return *found;
  }
  std::vector<std::string> ids;
  ids.reserve(all.size());
  for (const GeneratorSummary& summary : all) {
    ids.push_back(summary.id);
  }
  throw HttpError(404, ids.empty() ? "no language model is served here"
                                   : fmt::format("there is no language model '{}'; there is {}", id,
                                                 fmt::join(ids, ", ")));
}

std::shared_ptr<GenerationJob> completion_job(const RequestFields& fields) {
  constexpr std::int64_t kUsualTokens = 16;  // as OpenAI's
  auto job = std::make_shared<GenerationJob>();
  job->options = options_of(fields);
  job->options.max_new = job->options.max_new.value_or(kUsualTokens);
  job->options.logprobs = fields.integer("logprobs").value_or(-1);
  job->prompts = fields.texts("prompt");
  require(!job->prompts.empty(), "\"prompt\": the list is empty");
  return job;
}

std::shared_ptr<GenerationJob> chat_job(const RequestFields& fields) {
  auto job = std::make_shared<GenerationJob>();
  job->options = options_of(fields);
  if (fields.has("max_completion_tokens")) {
    job->options.max_new = fields.integer("max_completion_tokens");
  }
  require(fields.boolean("logprobs") || !fields.has("top_logprobs"),
          "\"top_logprobs\" needs \"logprobs\"");
  if (fields.boolean("logprobs")) {
    job->options.logprobs = fields.integer("top_logprobs").value_or(0);
  }
  job->messages = fields.value("messages");
  require(!job->messages.empty(), "\"messages\": the list is empty");
  for (std::size_t i = 0; i < job->messages.size(); ++i) {
    check_message(job->messages[i], i + 1);
  }
  job->tools = fields.value("tools");
  if (fields.has("chat_template_kwargs")) {
    job->template_variables = fields.value("chat_template_kwargs");
  }
  return job;
}

std::int64_t characters_of(const GenerationJob& job) {
  std::int64_t characters = 0;
  for (const std::string& prompt : job.prompts) {
    characters += character_count(prompt);
  }
  for (const Json* json : {&job.messages, &job.tools}) {
    characters += json->is_null() ? 0 : character_count(json->dump());
  }
  return characters;
}

void complete_job(const ApiHost& host, const Exchange& exchange, const RequestFields& fields,
                  const GeneratorSummary& model, GenerationJob& job) {
  job.model = model.id;
  job.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(host.deadline);
  job.gone = exchange.gone();
  const std::int64_t characters = characters_of(job);
  if (characters > host.limits.characters) {
    throw HttpError(400, fmt::format("the request has {} characters; {} are allowed at most",
                                     characters, host.limits.characters));
  }
  if (static_cast<std::int64_t>(job.prompts.size()) > host.limits.texts) {
    throw HttpError(400, fmt::format("\"prompt\": {} texts; {} are allowed at most",
                                     job.prompts.size(), host.limits.texts));
  }
  const HttpRequest& request = exchange.request();
  const std::string key = key_of(request, fields.text("api_key"));
  host.keys.admit(key, request.client, characters);
  job.client = host.keys.are_used() && !key.empty() ? key : request.client;
}

}  // namespace yona::serve
