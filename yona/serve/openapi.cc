#include "yona/serve/openapi.h"

#include <algorithm>
#include <cctype>

namespace yona::serve {

namespace {

Json content(const std::string& type, const Json& schema) { return {{type, {{"schema", schema}}}}; }

Json answers_of(const Route& route) {
  Json schema = Json::object();
  if (!route.gives.empty()) {
    schema = schema_of(route.gives);
    if (route.gives_list) {
      schema = {{"type", "array"}, {"items", schema}};
    }
  }
  Json ok{{"description", "what was asked for"}};
  ok["content"] = content(route.content_type, schema);
  Json error{{"description",
              "an error: 400 wrong request, 403 no key, 404 not there, 413 too much, "
              "429 too often, 503 too much to do, 504 too late"}};
  error["content"] =
      content("application/json",
              schema_of(Fields{{"error", FieldType::text, "what is wrong, in one sentence"}}));
  return {{"200", ok}, {"default", error}};
}

Json operation_of(const Route& route) {
  Json operation{{"summary", route.summary}, {"responses", answers_of(route)}};
  if (!route.takes.empty()) {
    const Json schema = schema_of(route.takes);
    Json body{{"required", true}};
    body["content"] = content("application/json", schema);
    body["content"].update(content("application/x-www-form-urlencoded", schema));
    operation["requestBody"] = body;
  }
  if (route.path.ends_with("*")) {
    operation["parameters"] = Json::array(
        {{{"name", "name"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}}});
  }
  return operation;
}

std::string described_path(const Route& route) {
  return route.path.ends_with("*") ? route.path.substr(0, route.path.size() - 1) + "{name}"
                                   : route.path;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Json openapi_description(const Router& router) {
  Json paths = Json::object();
  for (const Route& route : router.routes()) {
    paths[described_path(route)][lower_case(route.method)] = operation_of(route);
  }
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "yona"},
            {"version", YONA_VERSION},
            {"description", "Translation: LibreTranslate's API, and yona's own under /v1."}}},
          {"paths", paths}};
}

}  // namespace yona::serve
