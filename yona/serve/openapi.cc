#include "yona/serve/openapi.h"

#include <algorithm>
#include <set>

#include "yona/serve/url.h"

namespace yona::serve {

namespace {

Json content(const std::string& type, const Json& schema) { return {{type, {{"schema", schema}}}}; }

// What an error's status means here.
std::string meaning_of(int status) {
  switch (status) {
    case 400:
      return "the request is malformed, or a field is missing or wrong";
    case 403:
      return "the API key is missing or not known, or this is disabled";
    case 404:
      return "it is not there";
    case 413:
      return "the body or the text is larger than allowed";
    case 415:
      return "the content type or the content coding is not supported";
    case 421:
      return "the server does not answer to the host's name";
    case 429:
      return "a limit of the API key is reached; see Retry-After";
    case 431:
      return "the header is larger than allowed";
    case 500:
      return "the server failed; its log says why";
    case 501:
      return "the model or the server cannot do this";
    case 503:
      return "the server is overloaded; see Retry-After";
    case 504:
      return "the deadline has passed";
    case 507:
      return "the disk space that is set aside is used up";
    default:
      return "an error";
  }
}

// The statuses that a route can answer with besides 200.
std::set<int> errors_of(const Route& route) {
  std::set<int> statuses{400, 421, 431, 503};
  statuses.insert(route.statuses.begin(), route.statuses.end());
  const auto takes = [&](const char* name) {
    return std::any_of(route.takes.begin(), route.takes.end(),
                       [&](const Field& field) { return field.name == name; });
  };
  if (!route.takes.empty()) {
    statuses.insert({413, 415, 500});
  }
  if (takes("api_key")) {
    statuses.insert({403, 429});
  }
  if (takes("model") || route.path.ends_with("*")) {
    statuses.insert(404);
  }
  if (route.queue != Queue::none) {
    statuses.insert({501, 504});
  }
  return statuses;
}

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
  const Json error = content("application/json", schema_of(route.error_gives));
  Json answers{{"200", ok}, {"default", {{"description", "an error"}, {"content", error}}}};
  for (const int status : errors_of(route)) {
    answers[std::to_string(status)] = {{"description", meaning_of(status)}, {"content", error}};
  }
  return answers;
}

Json operation_of(const Route& route) {
  Json operation{{"summary", route.summary}, {"responses", answers_of(route)}};
  if (!route.takes.empty()) {
    const Json schema = schema_of(route.takes);
    Json body{{"required", true}};
    body["content"] = content("application/json", schema);
    body["content"].update(content("application/x-www-form-urlencoded", schema));
    body["content"].update(content("multipart/form-data", schema));
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
            {"description",
             "Translation: LibreTranslate's API, and yona's own under /v1. "
             "Language models: OpenAI's API."}}},
          {"paths", paths}};
}

}  // namespace yona::serve
