// `yona serve` as a program: started, asked and stopped as a user does it.

#include <regex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/translate_fixture.h"
#include "tests/serve/client.h"

namespace yona::testing {
namespace {

class Serve : public Translate {
 protected:
  static std::vector<std::string> arguments(std::vector<std::string> more = {}) {
    std::vector<std::string> all{"serve", "--model", model_->path(), "--port", "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // The port that the program says it listens on; 0: it ended.
  static std::uint16_t port_of(const RunningProgram& program) {
    std::smatch found;
    for (int i = 0; i < 4000; ++i) {
      const std::string text = program.err();
      if (std::regex_search(text, found, std::regex(R"(at https?://127\.0\.0\.1:(\d+);)"))) {
        return static_cast<std::uint16_t>(std::stoi(found[1]));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
  }
  static Json request(const std::string& text) {
    return {{"q", text}, {"source", "en"}, {"target", "de"}};
  }
  // Those of `yona translate` with these flags.
  void expect_answers(Client& client, const std::vector<std::string>& flags) {
    std::string input;
    std::vector<std::string> answers;
    for (std::size_t i = 0; i < 8; ++i) {
      input += line(i) + "\n";
      answers.push_back(client.post("/translate", request(line(i))).json()["translatedText"]);
    }
    EXPECT_EQ(answers, lines_of(translate(input, flags).out));
  }
};

TEST_F(Serve, TranslatesAsTranslateDoes) {
  RunningProgram program(arguments());
  Client client(port_of(program));
  expect_answers(client, {});
}

TEST_F(Serve, TranslatesInBytesAsTranslateDoes) {
  RunningProgram program(arguments({"--compute-type", "int8", "--workers", "2", "--threads", "1"}));
  Client client(port_of(program));
  expect_answers(client, {"--compute-type", "int8"});
  Json inside = request(line(0));
  inside["attention"] = true;
  EXPECT_EQ(client.post("/v1/translate", inside).status, 200);
  EXPECT_EQ(client.post("/v1/beam", request(line(0))).status, 200);
  EXPECT_EQ(client.post("/v1/explain", request(line(0))).status, 200);
}

TEST_F(Serve, AnswersEveryRoute) {
  RunningProgram program(arguments());
  Client client(port_of(program));
  for (const char* path :
       {"/", "/health", "/languages", "/metrics", "/openapi.json", "/v1/models"}) {
    EXPECT_EQ(client.get(path).status, 200) << path;
  }
  EXPECT_EQ(client.post("/v1/beam", request(line(0))).json()["tokens"].back(), "</s>");
  const Answer inside = client.post(
      "/v1/translate",
      {{"q", line(0)}, {"source", "en"}, {"target", "de"}, {"attention", true}, {"n_best", 2}});
  EXPECT_EQ(inside.json()["translations"][0]["n_best"].size(), 2U);
  EXPECT_EQ(client.get("/v1/models").json()["models"][0]["loaded"], true);
  // Counted once the answer has been sent: a moment later.
  const auto has_counted = [&] {
    return client.get("/metrics").body.find("yona_sentences_total 2\n") != std::string::npos;
  };
  for (int i = 0; i < 100 && !has_counted(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(has_counted());
}

TEST_F(Serve, StreamsAsServerSentEvents) {
  RunningProgram program(arguments());
  Client client(port_of(program));
  Json streamed = request(line(0));
  streamed["stream"] = true;
  const Answer answer = client.post("/v1/translate", streamed);
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_TRUE(answer.body.starts_with("event: token\n"));
  EXPECT_NE(answer.body.find("\n\nevent: done\n"), std::string::npos);
}

TEST_F(Serve, EndsWhenAskedOnceWhatItAcceptedIsAnswered) {
  RunningProgram program(arguments({"--batch-wait", "300"}));
  Client client(port_of(program));
  client.send(Client::post_text("/translate", request(line(0)).dump()));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  program.send(SIGTERM);
  EXPECT_EQ(client.read().status, 200);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("stopping: finishing what was accepted"), std::string::npos);
}

TEST_F(Serve, LooksAtItsFilesAgainOnSighup) {
  write_bytes(folder_ / "keys.json", R"({"keys": [{"key": "old"}]})");
  RunningProgram program(arguments({"--api-keys", folder_ / "keys.json"}));
  Client client(port_of(program));
  Json with_key = request("two");
  with_key["api_key"] = "new";
  EXPECT_EQ(client.post("/translate", with_key).status, 403);
  write_bytes(folder_ / "keys.json", R"({"keys": [{"key": "new"}]})");
  program.send(SIGHUP);
  for (int i = 0; i < 400 && client.post("/translate", with_key).status != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(client.post("/translate", with_key).status, 200);
}

TEST_F(Serve, AnswersToItsOwnNamesAndThoseThatAreAllowed) {
  RunningProgram program(arguments({"--allow-host", "a.example", "--allow-host", "b.example"}));
  const std::uint16_t port = port_of(program);
  const auto status = [&](const std::string& host) {
    Client client(port);
    client.send("GET /health HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read().status;
  };
  EXPECT_EQ(status("localhost"), 200);
  EXPECT_EQ(status("127.0.0.1:" + std::to_string(port)), 200);
  EXPECT_EQ(status("a.example"), 200);
  EXPECT_EQ(status("b.example:80"), 200);
  EXPECT_EQ(status("evil.example"), 421);
}

TEST_F(Serve, KeepsSuggestionsInAFile) {
  RunningProgram program(arguments({"--suggestions", folder_ / "suggestions.jsonl"}));
  Client client(port_of(program));
  const Json asked{{"q", "two"}, {"s", "zwei"}, {"source", "en"}, {"target", "de"}};
  EXPECT_EQ(client.post("/suggest", asked).json(), Json({{"success", true}}));
  EXPECT_EQ(read_bytes(folder_ / "suggestions.jsonl"),
            R"({"q":"two","s":"zwei","source":"en","target":"de"})"
            "\n");
}

// What it refuses is not in its help.
TEST_F(Serve, ListsOnlyFlagsThatItTakes) {
  const std::string help = run_yona({"serve", "--help"}).out;
  const std::regex flag(R"(\n  (?:-\w,)?(--[a-z-]+))");
  for (std::sregex_iterator found(help.begin(), help.end(), flag), end; found != end; ++found) {
    const std::string name = (*found)[1];
    if (name != "--help") {  // the flag after it is the one that is refused
      EXPECT_EQ(run_yona({"serve", name, "1", "--none"}).err.find("unknown flag '" + name),
                std::string::npos)
          << name;
    }
  }
  for (const char* refused :
       {"--sample", "--n-best", "--temperature", "--top-k", "--top-p", "--seed"}) {
    EXPECT_EQ(help.find(refused), std::string::npos) << refused;
  }
}

TEST_F(Serve, SaysThatThePortIsTaken) {
  RunningProgram first(arguments());
  const std::string port = std::to_string(port_of(first));
  const ProgramResult second = run_yona({"serve", "--model", model_->path(), "--port", port});
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("cannot listen on 127.0.0.1:" + port), std::string::npos);
}

TEST_F(Serve, SurvivesClientsThatLeaveAndBreak) {
  RunningProgram program(arguments());
  const std::uint16_t port = port_of(program);
  for (int i = 0; i < 50; ++i) {
    Client client(port);
    const std::string text = Client::post_text("/translate", request(line(0)).dump());
    client.send(text.substr(0, text.size() * static_cast<std::size_t>(i % 5 + 1) / 5));
  }
  Client client(port);
  EXPECT_EQ(client.post("/translate", request(line(0))).status, 200);
}

TEST_F(Serve, SaysWhatIsWrongWithItsFlags) {
  const auto error = [](const std::vector<std::string>& more) {
    const ProgramResult result = run_yona(arguments(more));
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  EXPECT_EQ(run_yona({"serve"}).code, 2);
  EXPECT_NE(error({"--host", "nowhere.example"}).find("--host"), std::string::npos);
  EXPECT_NE(error({"--tls-key", "x"}).find("--tls-certificate and --tls-key"), std::string::npos);
  EXPECT_NE(error({"--deadline", "0"}).find("--deadline"), std::string::npos);
  EXPECT_NE(error({"--page-dir", "/none"}).find("--page-dir"), std::string::npos);
  EXPECT_NE(error({"--sample"}).find("--sample"), std::string::npos);
  EXPECT_NE(error({"--allow-host", "a:80"}).find("--allow-host: expected a name"),
            std::string::npos);
  EXPECT_NE(error({"--device", "tpu"}).find("--device"), std::string::npos);
  EXPECT_NE(error({"--compute-type", "f16"}).find("--compute-type"), std::string::npos);
  EXPECT_NE(error({"--batch-tokens", "0"}).find("--batch-tokens"), std::string::npos);
  EXPECT_NE(error({"--max-body", "x"}).find("--max-body"), std::string::npos);
  EXPECT_NE(run_yona({"serve", "--model", "/none"}).err.find("--model"), std::string::npos);
}

}  // namespace
}  // namespace yona::testing
