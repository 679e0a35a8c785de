#include "yona/generate/chat_template.h"

#include <array>

#include "yona/base/input_file.h"
#include "yona/generate/jinja/parser.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

// Not by Json::update(), whose time grows with the square of the number of keys.
Json with_reasoning(const Json& message, const Json& reasoning) {
  Json::object_t named;
  const auto add = [&](const std::string& key, const Json& value) {
    named.Container::emplace_back(key, value);
  };
  add("thinking", message.contains("thinking") ? message["thinking"] : reasoning);
  for (const auto& item : message.items()) {
    if (item.key() != "thinking") {
      add(item.key(), item.key() == "reasoning_content" ? reasoning : item.value());
    }
  }
  if (!message.contains("reasoning_content")) {
    add("reasoning_content", reasoning);
  }
  return named;
}

// transformers gives a message's reasoning under the names that templates read.
Json with_reasoning_names(const Json& message) {
  if (!message.is_object()) {
    return message;
  }
  for (const char* name : {"reasoning_content", "thinking", "reasoning"}) {
    if (message.contains(name) && !message[name].is_null()) {
      return with_reasoning(message, message[name]);
    }
  }
  return message;
}

std::string default_template(const Json& entry) {
  if (entry.is_string()) {
    return entry.get<std::string>();
  }
  if (!entry.is_array()) {
    return "";
  }
  for (const Json& each : entry) {
    if (each.is_object() && each.value("name", Json()) == "default" && each.contains("template") &&
        each["template"].is_string()) {
      return each["template"].get<std::string>();
    }
  }
  return "";
}

Json special_tokens_of(const Json& config) {
  Json tokens = Json::object();
  for (const auto& item : config.items()) {
    if (!item.key().ends_with("_token")) {
      continue;
    }
    if (item.value().is_string()) {
      tokens[item.key()] = item.value();
    } else if (item.value().is_object() && item.value().contains("content")) {
      tokens[item.key()] = item.value()["content"];
    }
  }
  return tokens;
}

}  // namespace

ChatTemplate::ChatTemplate(std::string_view source, Json special_tokens)
    : body_(std::make_shared<const jinja::Body>(jinja::parse_template(source))),
      special_tokens_(std::move(special_tokens)) {}

std::optional<ChatTemplate> ChatTemplate::from_folder(const std::filesystem::path& folder) {
  const std::filesystem::path config_path = folder / "tokenizer_config.json";
  const Json config =
      std::filesystem::exists(config_path) ? read_json(config_path) : Json::object();
  check<FormatError>(config.is_object(), "{}: an object is expected", config_path.string());
  std::string source;
  if (const auto path = folder / "chat_template.jinja"; std::filesystem::exists(path)) {
    source = read_file(path);
  } else if (config.contains("chat_template")) {
    source = default_template(config["chat_template"]);
  }
  if (source.empty()) {
    return std::nullopt;
  }
  return ChatTemplate(source, special_tokens_of(config));
}

std::string ChatTemplate::render(const ChatRequest& request,
                                 const jinja::RenderOptions& options) const {
  check<jinja::TemplateError>(request.messages.is_array(),
                              "chat template: a list of messages is expected");
  Json messages = Json::array();
  for (const Json& message : request.messages) {
    messages.push_back(with_reasoning_names(message));
  }
  std::map<std::string, jinja::Value> variables;
  for (const Json* more : {&special_tokens_, &request.variables}) {
    for (const auto& item : more->items()) {
      variables[item.key()] = jinja::Value::from(item.value());
    }
  }
  variables["messages"] = jinja::Value::from(messages);
  variables["tools"] = jinja::Value::from(request.tools);
  variables["documents"] = jinja::Value::from(request.documents);
  variables["add_generation_prompt"] = jinja::Value(request.add_generation_prompt);
  return jinja::Interpreter(options).render(*body_, std::move(variables));
}

}  // namespace yona
