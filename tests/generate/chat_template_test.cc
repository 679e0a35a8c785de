#include "yona/generate/chat_template.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

ChatRequest request_of(const Json& json) {
  ChatRequest request;
  request.messages = json["messages"];
  request.tools = json.value("tools", Json());
  request.documents = json.value("documents", Json());
  request.add_generation_prompt = json.value("add_generation_prompt", true);
  request.variables = json.value("variables", Json::object());
  return request;
}

struct Comparison {
  int equal = 0, all = 0, refused = 0;
};

// Every case of a file of tools/fixtures/chat_templates.py.
Comparison compare(const std::filesystem::path& path, bool is_strict) {
  const Json file = read_json(path);
  const auto seconds = std::chrono::seconds(file["now"].get<std::int64_t>());
  jinja::RenderOptions options;
  options.now = [seconds] { return std::chrono::system_clock::time_point(seconds); };
  Comparison result;
  for (const Json& each : file["cases"]) {
    const std::string name = each["name"].get<std::string>();
    std::string text;
    bool is_refused = false;
    try {
      const ChatTemplate chat(each["template"].get<std::string>(), file["special_tokens"]);
      text = chat.render(request_of(each["request"]), options);
    } catch (const jinja::TemplateError& error) {
      text = error.what();
      is_refused = true;
    }
    const bool is_equal =
        is_refused ? each.contains("error") : each.contains("text") && text == each["text"];
    ++result.all;
    result.refused += is_refused && is_equal ? 1 : 0;
    result.equal += is_equal ? 1 : 0;
    if (is_strict) {
      EXPECT_TRUE(is_equal) << name << "\n" << text << "\n--- expected\n" << each.dump(1);
    } else if (!is_equal) {
      std::cout << "differs: " << name << "\n  " << text.substr(0, 200) << "\n";
    }
  }
  return result;
}

TEST(ChatTemplate, RendersAsTransformersDoes) {
  const Comparison result =
      compare(std::filesystem::path(YONA_FIXTURES) / "generate/chat_templates.json", true);
  EXPECT_GE(result.all, 15);
}

TEST(ChatTemplate, RendersTheTemplatesOfAFolderAsTransformersDoes) {
  const char* path = std::getenv("YONA_CHAT_CASES");
  if (path == nullptr) {
    GTEST_SKIP() << "YONA_CHAT_CASES is not set; see tools/fixtures/chat_templates.py";
  }
  const Comparison result = compare(path, false);
  std::cout << result.equal << " of " << result.all << " equal (" << result.refused
            << " of them refused by both)\n";
  EXPECT_EQ(result.equal, result.all);
}

TEST(ChatTemplate, IsReadFromAFolder) {
  const testing::TempDir temporary;
  const std::filesystem::path& folder = temporary.path();
  EXPECT_FALSE(ChatTemplate::from_folder(folder).has_value());
  const ChatRequest request{.messages = Json::parse(R"([{"role":"user","content":"hi"}])")};
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("tokenizer_config.json",
        R"({"bos_token":"<s>","eos_token":{"content":"</s>"},"chat_template":
            "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"})");
  EXPECT_EQ(ChatTemplate::from_folder(folder)->render(request), "<s>hi</s>");
  write(
      "tokenizer_config.json",
      R"({"chat_template":[{"name":"tool_use","template":"t"},{"name":"default","template":"d"}]})");
  EXPECT_EQ(ChatTemplate::from_folder(folder)->render(request), "d");
  write("chat_template.jinja", "{{ messages[0]['content'] }}!");
  EXPECT_EQ(ChatTemplate::from_folder(folder)->render(request), "hi!");
}

TEST(ChatTemplate, AMessagesReasoningHasAllNamesThatTemplatesRead) {
  const ChatTemplate chat("{{ messages[0]|tojson }}", Json::object());
  const auto rendered = [&](const char* message) {
    ChatRequest request;
    request.messages = Json::array({Json::parse(message)});
    return chat.render(request);
  };
  EXPECT_EQ(rendered(R"({"role": "user", "reasoning": "r"})"),
            R"({"thinking": "r", "role": "user", "reasoning": "r", "reasoning_content": "r"})");
  EXPECT_EQ(rendered(R"({"thinking": "t", "reasoning_content": "r", "x": 1})"),
            R"({"thinking": "t", "reasoning_content": "r", "x": 1})");
  EXPECT_EQ(rendered(R"({"reasoning_content": null, "x": 1, "thinking": "t"})"),
            R"({"thinking": "t", "reasoning_content": "t", "x": 1})");
  EXPECT_EQ(rendered(R"({"thinking": null, "x": 1})"), R"({"thinking": null, "x": 1})");
  // Takes minutes where the time grows with the square of the number.
  std::string many = R"({"reasoning": "r")";
  for (int i = 0; i < 200'000; ++i) {
    many += ",\"" + std::to_string(i) + "\":1";
  }
  ChatRequest request;
  request.messages = Json::array({parse_json(many + "}", "a")});
  EXPECT_EQ(ChatTemplate("{{ messages[0]|length }}", Json::object()).render(request), "200003");
}

TEST(ChatTemplate, MessagesMustBeAList) {
  const ChatTemplate chat("x");
  EXPECT_THROW(chat.render({.messages = Json::object()}), jinja::TemplateError);
}

}  // namespace
}  // namespace yona
