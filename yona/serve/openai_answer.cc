#include "yona/serve/openai_answer.h"

#include <atomic>
#include <chrono>

#include "yona/text/utf8.h"

namespace yona::serve {

namespace {

std::string compact_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* kind_of_error(int status) {
  switch (status) {
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 429:
      return "rate_limit_error";
    default:
      return status < 500 ? "invalid_request_error" : "server_error";
  }
}

// The field that a message begins with: "\"stop\": …".
Json field_of(const std::string& message) {
  const std::size_t end = message.find('"', 1);
  return message.starts_with('"') && end != std::string::npos ? Json(message.substr(1, end - 1))
                                                              : Json();
}

std::string next_id(bool is_chat) {
  static std::atomic<std::uint64_t> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("{}-{:x}{:04x}", is_chat ? "chatcmpl" : "cmpl", now, ++count & 0xFFFFU);
}

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Json bytes_json(const std::string& text) {
  Json bytes = Json::array();
  for (const char c : text) {
    bytes.push_back(static_cast<unsigned char>(c));
  }
  return bytes;
}

Json token_json(const TokenText& token) {
  return {{"token", lossy_utf8(token.bytes)},
          {"logprob", token.logprob},
          {"bytes", bytes_json(token.bytes)}};
}

Json usage_json(const GenerationUsage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

}  // namespace

HttpResponse openai_error(const std::exception_ptr& error) {
  HttpResponse response = response_of(error);
  const std::string message = Json::parse(response.body).value("error", "");
  response.body =
      compact_json({{"error",
                     {{"message", message},
                      {"type", kind_of_error(response.status)},
                      {"param", field_of(message)},
                      {"code", response.status == 404 ? Json("model_not_found") : Json()}}}}) +
      "\n";
  return response;
}

OpenAiAnswer::OpenAiAnswer(std::shared_ptr<Exchange> exchange, OpenAiAnswerOptions options)
    : exchange_(std::move(exchange)),
      options_(std::move(options)),
      id_(next_id(options_.kind == OpenAiKind::chat)),
      created_(seconds_now()),
      choices_(options_.prompts * static_cast<std::size_t>(options_.answers)) {}

Json OpenAiAnswer::frame(const char* object) const {
  return {{"id", id_}, {"object", object}, {"created", created_}, {"model", options_.model}};
}

Json OpenAiAnswer::logprobs_json(const std::vector<Json>& tokens, std::size_t offset) const {
  if (!options_.has_logprobs) {
    return nullptr;
  }
  if (is_chat()) {
    return {{"content", tokens}};
  }
  Json texts = Json::array(), logprobs = Json::array(), best = Json::array(),
       offsets = Json::array();
  for (const Json& token : tokens) {
    texts.push_back(token["token"]);
    logprobs.push_back(token["logprob"]);
    Json named = Json::object();
    for (const Json& other : token["top_logprobs"]) {
      named[other["token"].get<std::string>()] = other["logprob"];
    }
    best.push_back(std::move(named));
    offsets.push_back(offset);
    offset += utf32_of(token["token"].get_ref<const std::string&>()).size();
  }
  return {{"tokens", texts},
          {"token_logprobs", logprobs},
          {"top_logprobs", best},
          {"text_offset", offsets}};
}

Json OpenAiAnswer::choice_json(const Choice& choice, std::size_t index) const {
  Json json{{"index", index}};
  if (is_chat()) {
    json["message"] = {{"role", "assistant"}, {"content", choice.text}, {"refusal", nullptr}};
  } else {
    json["text"] = choice.text;
  }
  json["logprobs"] = logprobs_json(choice.tokens, 0);
  json["finish_reason"] = choice.finish;
  return json;
}

Json OpenAiAnswer::chunk_json(const Json& delta, const GenerationPiece& piece, std::size_t index,
                              const Json& logprobs) const {
  Json choice{{"index", index}};
  choice[is_chat() ? "delta" : "text"] = delta;
  choice["logprobs"] = logprobs;
  choice["finish_reason"] = piece.finish.empty() ? Json() : Json(piece.finish);
  Json chunk = frame(is_chat() ? "chat.completion.chunk" : "text_completion");
  chunk["choices"] = Json::array({choice});
  if (options_.includes_usage) {
    chunk["usage"] = nullptr;
  }
  return chunk;
}

void OpenAiAnswer::grow(const GenerationPiece& piece) {
  const std::size_t index = piece.prompt * static_cast<std::size_t>(options_.answers) +
                            static_cast<std::size_t>(piece.answer);
  Choice& choice = choices_.at(index);
  const std::size_t offset = choice.characters;
  std::vector<Json> fresh;
  if (options_.has_logprobs && piece.token) {
    Json token = token_json(*piece.token);
    token["top_logprobs"] = Json::array();
    for (const TokenText& other : piece.best) {
      token["top_logprobs"].push_back(token_json(other));
    }
    fresh.push_back(std::move(token));
  }
  choice.finish = piece.finish;
  if (!options_.streams) {
    choice.text += piece.text;
    choice.tokens.insert(choice.tokens.end(), fresh.begin(), fresh.end());
    return;
  }
  if (options_.has_logprobs) {
    choice.characters += utf32_of(piece.text).size();
  }
  Json delta = piece.text;
  if (is_chat()) {
    delta = Json::object();
    if (!std::exchange(choice.has_begun, true)) {
      delta["role"] = "assistant";
    }
    if (!piece.text.empty() || delta.contains("role")) {
      delta["content"] = piece.text;
    }
  }
  const bool says_nothing = piece.text.empty() && fresh.empty() && piece.finish.empty();
  if (!says_nothing || (is_chat() && delta.contains("role"))) {
    write(chunk_json(delta, piece, index, logprobs_json(fresh, offset)));
  }
}

void OpenAiAnswer::end(const GenerationUsage& usage) {
  if (options_.streams) {
    if (options_.includes_usage) {
      Json chunk = frame(is_chat() ? "chat.completion.chunk" : "text_completion");
      chunk["choices"] = Json::array();
      chunk["usage"] = usage_json(usage);
      write(chunk);
    }
    exchange_->write(TextPieces(std::string("data: [DONE]\n\n")));
    exchange_->end_stream();
    return;
  }
  Json answer = frame(is_chat() ? "chat.completion" : "text_completion");
  answer["choices"] = Json::array();
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    answer["choices"].push_back(choice_json(choices_[i], i));
  }
  answer["usage"] = usage_json(usage);
  exchange_->respond(json_response(answer));
}

void OpenAiAnswer::fail(const std::exception_ptr& error) {
  HttpResponse response = openai_error(error);
  if (!has_begun_) {
    exchange_->respond(std::move(response));
    return;
  }
  write(Json::parse(response.body));
  exchange_->end_stream();
}

void OpenAiAnswer::write(const Json& data) {
  if (!std::exchange(has_begun_, true)) {
    exchange_->begin_stream(
        {.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  }
  exchange_->write(TextPieces("data: " + compact_json(data) + "\n\n"));
}

}  // namespace yona::serve
