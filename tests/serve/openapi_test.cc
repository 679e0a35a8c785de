// The description must be of what there is: every route and field of it is tried, and every field
// of real answers is looked for in it.

#include "yona/serve/openapi.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using testing::FakeServer;

// Every field that an answer has is described, in objects inside objects too.
void expect_described(const Json& value, const Json& schema, const std::string& where) {
  if (value.is_array() && schema.contains("items")) {
    for (const Json& item : value) {
      expect_described(item, schema["items"], where + "[]");
    }
  }
  if (!value.is_object() || !schema.contains("properties") || schema["properties"].empty()) {
    return;
  }
  for (const auto& [name, item] : value.items()) {
    ASSERT_TRUE(schema["properties"].contains(name)) << where << "." << name;
    expect_described(item, schema["properties"][name], where + "." + name);
  }
}

Json operation(const Json& description, const std::string& path, const std::string& method) {
  return description["paths"][path][method];
}

Json answer_schema(const Json& operation) {
  return operation["responses"]["200"]["content"]["application/json"]["schema"];
}

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  FakeServer server;
  const Json description = server.get("/openapi.json")->json();
  EXPECT_EQ(description["openapi"], "3.0.3");
  std::set<std::string> described;
  for (const auto& [path, methods] : description["paths"].items()) {
    for (const auto& [method, details] : methods.items()) {
      described.insert(testing::capitals(method) + " " + path);
      EXPECT_FALSE(details["summary"].get<std::string>().empty());
    }
  }
  EXPECT_EQ(described,
            (std::set<std::string>{"POST /translate", "GET /languages", "POST /detect",
                                   "GET /health", "GET /frontend/settings", "POST /suggest",
                                   "GET /v1/models", "GET /v1/models/{name}", "POST /v1/translate",
                                   "POST /v1/beam", "POST /v1/explain", "GET /metrics",
                                   "GET /openapi.json", "GET /", "GET /page/{name}"}));
  EXPECT_EQ(described.size(), server.application.router().routes().size());
}

TEST(OpenApi, DescribesEveryFieldOfAnswers) {
  FakeServer server;
  const Json description = server.get("/openapi.json")->json();
  const Json libre{
      {"q", {"One. Two.", "b"}}, {"source", "auto"}, {"target", "de"}, {"alternatives", 2}};
  expect_described(server.post("/translate", libre)->json(),
                   answer_schema(operation(description, "/translate", "post")), "/translate");
  const Json native{
      {"q", {"One. Two.", "b"}}, {"source", "en"},     {"target", "de"},   {"n_best", 2},
      {"scores", true},          {"alignments", true}, {"attention", true}};
  expect_described(server.post("/v1/translate", native)->json(),
                   answer_schema(operation(description, "/v1/translate", "post")), "/v1/translate");
  for (const std::string path : {"/languages", "/v1/models", "/health", "/frontend/settings"}) {
    expect_described(server.get(path)->json(), answer_schema(operation(description, path, "get")),
                     path);
  }
  expect_described(server.post("/detect", {{"q", "a"}})->json(),
                   answer_schema(operation(description, "/detect", "post")), "/detect");
}

// A value that the schema allows.
Json example_of(const Json& schema) {
  if (schema.contains("enum")) {
    return schema["enum"][0];
  }
  if (schema.contains("oneOf")) {
    return "text";
  }
  const std::string type = schema["type"];
  if (type == "integer" || type == "number") {
    return schema["minimum"];
  }
  return type == "boolean" ? Json(false) : type == "array" ? Json::array() : Json("text");
}

TEST(OpenApi, DescribesFieldsThatRequestsReallyTake) {
  testing::TempDir folder;
  serve::Suggestions suggestions(folder / "file");
  FakeServer server({}, &suggestions);
  const Json description = server.get("/openapi.json")->json();
  for (const auto& [path, methods] : description["paths"].items()) {
    if (!methods.contains("post")) {
      continue;
    }
    const Json schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"];
    Json base{{"q", "text"}, {"source", "en"}, {"target", "de"}};
    if (path == "/detect") {
      base = {{"q", "text"}};
    } else if (path == "/suggest") {
      base["s"] = "text";
    }
    for (const auto& [field, details] : schema["properties"].items()) {
      EXPECT_FALSE(details["description"].get<std::string>().empty()) << path << " " << field;
      // A prompt stands in the place of q (explain_api_test.cc).
      if (base.contains(field) || field == "model" || field == "prompt") {
        continue;
      }
      Json request = base;
      request[field] = example_of(details);
      EXPECT_EQ(server.post(path, request)->response.status, 200) << path << " " << request;
      request[field] = {{"no", "such thing"}};
      EXPECT_EQ(server.post(path, request)->response.status, 400) << path << " " << request;
    }
    for (const Json& field : schema.value("required", Json::array())) {
      Json request = base;
      request.erase(field.get<std::string>());
      EXPECT_EQ(server.post(path, request)->response.status, 400) << path << " " << request;
    }
  }
}

std::set<std::string> statuses(const Json& operation) {
  std::set<std::string> found;
  for (const auto& [status, details] : operation["responses"].items()) {
    EXPECT_FALSE(details["description"].get<std::string>().empty());
    EXPECT_TRUE(details.contains("content"));
    found.insert(status);
  }
  return found;
}

TEST(OpenApi, ListsTheStatusesOfEachRoute) {
  FakeServer server;
  const Json description = server.get("/openapi.json")->json();
  using Set = std::set<std::string>;
  EXPECT_EQ(statuses(operation(description, "/health", "get")),
            (Set{"200", "400", "421", "431", "503", "default"}));
  EXPECT_EQ(statuses(operation(description, "/page/{name}", "get")),
            (Set{"200", "400", "404", "421", "431", "503", "default"}));
  EXPECT_EQ(statuses(operation(description, "/detect", "post")),
            (Set{"200", "400", "403", "413", "415", "421", "429", "431", "500", "503", "default"}));
  EXPECT_EQ(statuses(operation(description, "/v1/translate", "post")),
            (Set{"200", "400", "403", "404", "413", "415", "421", "429", "431", "500", "501", "503",
                 "504", "default"}));
  EXPECT_TRUE(statuses(operation(description, "/suggest", "post")).contains("507"));
  const Json bodies = operation(description, "/translate", "post")["requestBody"]["content"];
  EXPECT_EQ(bodies.size(), 3U);
  EXPECT_TRUE(bodies.contains("multipart/form-data"));
}

// Those that a request can cause without a network or a model are as the description says.
TEST(OpenApi, ListsEveryStatusThatIsSeen) {
  FakeServer server({.texts = 1, .sentences = 1, .characters = 5});
  const Json description = server.get("/openapi.json")->json();
  const auto expect_listed = [&](const std::string& path, const auto& exchange) {
    const std::string status = std::to_string(exchange->response.status);
    EXPECT_TRUE(statuses(operation(description, path, "post")).contains(status))
        << path << " " << status;
  };
  for (const std::string path :
       {"/translate", "/detect", "/suggest", "/v1/translate", "/v1/beam", "/v1/explain"}) {
    expect_listed(path, server.post(path, Json::object()));
    expect_listed(path, server.post(path, {{"q", "a"}, {"source", "en"}, {"target", "de"}}));
    expect_listed(path, server.post(path, {{"q", "123456"}, {"source", "en"}, {"target", "de"}}));
    expect_listed(path, server.post(path, {{"q", "a"}, {"model", "none"}}));
    expect_listed(path, server.ask({.method = "POST", .path = path, .content_type = "a/b"}));
  }
}

}  // namespace
}  // namespace yona
