#include "yona/serve/libretranslate_frontend.h"

#include "yona/serve/language_names.h"

namespace yona::serve {

namespace {

using Type = FieldType;

constexpr int kFrontendTimeout = 500;  // milliseconds: LibreTranslate's default

Fields suggest_takes() {
  return {{.name = "q", .type = Type::text, .description = "the original", .required = true},
          {.name = "s",
           .type = Type::text,
           .description = "the translation that is suggested",
           .required = true},
          {.name = "source",
           .type = Type::text,
           .description = "the original's language",
           .required = true},
          {.name = "target",
           .type = Type::text,
           .description = "the translation's language",
           .required = true},
          {"api_key", Type::text, "where the server asks for one"}};
}

Field language_field(const char* name, const char* description) {
  return {.name = name,
          .type = Type::object,
          .description = description,
          .fields = {{"code", Type::text, "of the language"}, {"name", Type::text, "in English"}}};
}

Fields settings_gives() {
  return {{"charLimit", Type::integer, "characters of a request at most"},
          {"frontendTimeout", Type::integer, "milliseconds to wait for more typing"},
          {"apiKeys", Type::boolean, "whether the server knows API keys"},
          {"keyRequired", Type::boolean, "whether requests without a key are refused"},
          {"suggestions", Type::boolean, "whether /suggest takes suggestions"},
          {"filesTranslation", Type::boolean, "whether files are translated: not here"},
          {"supportedFilesFormat", Type::texts, "their formats"},
          {.name = "language",
           .type = Type::object,
           .description = "the pair to begin with",
           .fields = {language_field("source", "to translate from"),
                      language_field("target", "to translate into")}}};
}

Json language_json(const std::string& code) {
  return {{"code", code}, {"name", code == "auto" ? "Auto Detect" : language_name(code)}};
}

void give_settings(const ApiHost& host, Exchange& exchange) {
  const std::vector<ModelSummary> models = host.service.models();
  const auto code = [&](std::string ModelSummary::*language) {
    return models.empty() || (models.front().*language).empty() ? "auto" : models.front().*language;
  };
  exchange.respond(json_response({{"charLimit", host.limits.characters},
                                  {"frontendTimeout", kFrontendTimeout},
                                  {"apiKeys", host.keys.are_used()},
                                  {"keyRequired", host.keys.are_required()},
                                  {"suggestions", host.suggestions != nullptr},
                                  {"filesTranslation", false},
                                  {"supportedFilesFormat", Json::array()},
                                  {"language",
                                   {{"source", language_json(code(&ModelSummary::source))},
                                    {"target", language_json(code(&ModelSummary::target))}}}}));
}

void suggest(const ApiHost& host, Exchange& exchange) {
  if (host.suggestions == nullptr) {
    throw HttpError(403, "suggestions are disabled on this server; --suggestions enables them");
  }
  const HttpRequest& request = exchange.request();
  const RequestFields fields(request, suggest_takes(), UnknownFields::ignore);
  for (const char* name : {"q", "s", "source", "target"}) {
    if (fields.text(name).empty()) {
      throw HttpError(400, fmt::format("\"{}\" is empty", name));
    }
  }
  const Suggestion suggestion{.text = fields.text("q"),
                              .translation = fields.text("s"),
                              .source = fields.text("source"),
                              .target = fields.text("target")};
  const std::int64_t characters = character_count(suggestion.text + suggestion.translation);
  if (characters > host.limits.characters) {
    throw HttpError(400, fmt::format("the request has {} characters; {} are allowed at most",
                                     characters, host.limits.characters));
  }
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, characters);
  host.suggestions->add(suggestion);
  exchange.respond(json_response({{"success", true}}));
}

}  // namespace

std::vector<Route> libretranslate_frontend_routes(const ApiHost& host) {
  return {{.method = "GET",
           .path = "/frontend/settings",
           .summary = "What a frontend needs to know (LibreTranslate).",
           .gives = settings_gives(),
           .handler = [&host](const auto& exchange) { give_settings(host, *exchange); }},
          {.method = "POST",
           .path = "/suggest",
           .summary = "Takes a better translation, with --suggestions (LibreTranslate).",
           .takes = suggest_takes(),
           .gives = {{"success", Type::boolean, "true"}},
           .statuses = {507},
           .handler = [&host](const auto& exchange) { suggest(host, *exchange); }}};
}

}  // namespace yona::serve
