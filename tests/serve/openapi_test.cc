// The description must be of what there is: every route and field of it is tried, and every field
// of real answers is looked for in it.

#include "yona/serve/openapi.h"

#include <set>

#include <gtest/gtest.h>

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
  EXPECT_EQ(described, (std::set<std::string>{"POST /translate", "GET /languages", "POST /detect",
                                              "GET /health", "GET /v1/models", "POST /v1/translate",
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
  for (const std::string path : {"/languages", "/v1/models", "/health"}) {
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
  FakeServer server;
  const Json description = server.get("/openapi.json")->json();
  for (const auto& [path, methods] : description["paths"].items()) {
    if (!methods.contains("post")) {
      continue;
    }
    const Json schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"];
    Json base{{"q", "text"}, {"source", "en"}, {"target", "de"}};
    if (path == "/detect") {
      base = {{"q", "text"}};
    }
    for (const auto& [field, details] : schema["properties"].items()) {
      EXPECT_FALSE(details["description"].get<std::string>().empty()) << path << " " << field;
      if (base.contains(field) || field == "model") {
        continue;
      }
      Json request = base;
      request[field] = example_of(details);
      EXPECT_EQ(server.post(path, request)->response.status, 200) << path << " " << request;
      request[field] = {{"no", "such thing"}};
      EXPECT_EQ(server.post(path, request)->response.status, 400) << path << " " << request;
    }
    for (const Json& field : schema["required"]) {
      Json request = base;
      request.erase(field.get<std::string>());
      EXPECT_EQ(server.post(path, request)->response.status, 400) << path << " " << request;
    }
  }
}

}  // namespace
}  // namespace yona
