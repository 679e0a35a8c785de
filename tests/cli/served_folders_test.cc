// Which folders `yona serve` takes, and what it calls them.

#include <regex>
#include <thread>

#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/harness/language_folder.h"
#include "tests/harness/temp_dir.h"
#include "tests/serve/client.h"

namespace yona::testing {
namespace {

std::string error_of(const std::vector<std::string>& models) {
  std::vector<std::string> arguments{"serve", "--port", "0", "--model"};
  arguments.insert(arguments.end(), models.begin(), models.end());
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 2);
  return result.err;
}

TEST(ServedFolders, LanguageModelsAloneAreServedUnderTheNamesThatTheyAreGiven) {
  const LanguageFolder folder;
  const std::string path = folder.path().string();
  RunningProgram program({"serve", "--port", "0", "--model", "first=" + path, "my-second=" + path});
  std::smatch found;
  std::string text;
  for (int i = 0; i < 4000 && found.empty(); ++i) {
    text = program.err();
    std::regex_search(text, found, std::regex(R"(serving first, my-second at http://.*:(\d+);)"));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_FALSE(found.empty()) << text;
  Client client(static_cast<std::uint16_t>(std::stoi(found[1])));
  const Json body{{"model", "my-second"}, {"prompt", "a"}, {"max_tokens", 3}};
  EXPECT_EQ(client.post("/v1/completions", body).json()["model"], "my-second");
}

TEST(ServedFolders, AreRefusedInOneLine) {
  const LanguageFolder folder;
  const std::string path = folder.path().string();
  EXPECT_EQ(error_of({"same=" + path, "same=" + path}),
            "yona: --model: " + path + " and " + path +
                " are both named same; say NAME=DIR for one of them\n");
  EXPECT_NE(error_of({"name=/nothing"}).find("/nothing"), std::string::npos);
  std::filesystem::resize_file(folder.path() / "model.safetensors", 100);
  const std::string damaged = error_of({path});
  EXPECT_NE(damaged.find("model.safetensors is damaged"), std::string::npos) << damaged;
}

// A parser's folder is that of a translation model but for its task.
TEST(ServedFolders, RefusesKindsThatNoRouteAnswersFor) {
  const TempDir folder;
  const auto error_with = [&](const char* config) {
    write_bytes(folder / "config.json", config);
    return error_of({folder.path().string()});
  };
  const std::string name = "yona: --model: " + folder.path().string();
  const std::string taken =
      "; yona serve takes translation models, language models, encoders and image classifiers\n";
  EXPECT_EQ(error_with(R"({"model_type": "marian", "yona": {"model": {"task": "parsing"}}})"),
            name + " is a parser" + taken);
  EXPECT_EQ(error_with(R"({"yona": {"task": "question-answering"}})"),
            name + " is a memory network" + taken);
}

TEST(ServedFolders, TakeFlagsOfLanguageModelsInTheirRanges) {
  const LanguageFolder folder;
  for (const char* flag : {"--kv-cache", "--max-answers"}) {
    const ProgramResult result =
        run_yona({"serve", "--port", "0", "--model", folder.path().string(), flag, "0"});
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(flag), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace yona::testing
