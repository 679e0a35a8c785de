// `yona bench compare` with engines that are only acted: a script in Python's place. The real ones
// are in bench_compare_test.py.

#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"
#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

// Answers as Python would with every engine installed; what it does when asked to serve is given.
constexpr std::string_view kActor = R"(#!/bin/sh
what="$2"; engine="$3"; job="$4"
case "$what" in
  find) [ "$engine" = transformers ] && echo '{}' || echo "{\"name\": \"Acted $engine\"}" ;;
  prepare) [ "$engine" = marian ] && echo '{"reason": "cannot hold this model"}' || echo '{"ready": true}' ;;
  serve)
    echo 'a library says hello'
    SERVE
esac
)";
constexpr std::string_view kServes = R"(echo '{"event": "first"}'
    folder=$(dirname "$job")
    while read -r word; do
      case "$word" in
        run) echo '{"event": "run", "seconds": 2.0}' ;;
        end)
          printf '[{"ids": [9, 9, 0], "score": -1000.0},{"ids": [0], "score": -2000.0}]' > "$folder/answers.json"
          echo '{"event": "end", "mem_mb": 1000}'; exit 0 ;;
      esac
    done)";

class BenchCompare : public Translate {
 protected:
  // Two lines of text, one round.
  ProgramResult compare(const std::vector<std::string>& more) const {
    write_bytes(folder_ / "lines", line(0) + "\n\n" + line(1) + "\n");
    std::vector<std::string> arguments{
        "bench",           "compare",  "--model", model_->path(), "--input",
        folder_ / "lines", "--rounds", "1",       "--threads",    "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yona(arguments);
  }
  std::string actor(std::string_view serves) const {
    std::string script(kActor);
    script.replace(script.find("SERVE"), 5, serves);
    const std::filesystem::path path = folder_ / "python";
    write_bytes(path, script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
};

TEST_F(BenchCompare, TimesYonaAloneWhereNothingElseIs) {
  const ProgramResult result = compare({"--python", "no-such-python"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("2 lines of "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nyona 0."), std::string::npos) << result.out;
  for (const std::string engine : {"ctranslate2", "transformers", "marian"}) {
    EXPECT_NE(result.out.find("left out: " + engine + ": no-such-python cannot be run"),
              std::string::npos)
        << result.out;
  }
}

TEST_F(BenchCompare, ComparesAnswersAndSaysWhoIsLeftOut) {
  const ProgramResult result = compare({"--python", actor(kServes)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Acted ctranslate2      ctranslate2"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("0 of 2 outputs the same, 2 differ"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("left out: transformers: not installed for "), std::string::npos);
  EXPECT_NE(result.out.find("left out: marian: cannot hold this model"), std::string::npos);
}

TEST_F(BenchCompare, WithoutScoresComparesTokensAlone) {
  std::string serves(kServes);
  for (const std::string score : {R"(, "score": -1000.0)", R"(, "score": -2000.0)"}) {
    serves.erase(serves.find(score), score.size());
  }
  const std::vector<std::string> flags{"--python", actor(serves), "--engines", "ctranslate2",
                                       "--no-scores"};
  const ProgramResult result = compare(flags);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find(" tokens, no scores; "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("0 of 2 outputs the same, 2 differ"), std::string::npos) << result.out;
}

TEST_F(BenchCompare, GivesJson) {
  const ProgramResult result =
      compare({"--python", actor(kServes), "--json", "--engines", "ctranslate2", "--beam", "2"});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("lines"), 2);
  EXPECT_EQ(json.at("beam"), 2);
  EXPECT_EQ(json.at("scores"), true);
  EXPECT_EQ(json.at("left_out").size(), 0);
  const Json& entry = json.at("comparisons").at(0);
  EXPECT_EQ(entry.at("search"), "ctranslate2");
  EXPECT_EQ(entry.at("differ"), 2);
  EXPECT_EQ(entry.at("peer").at("tokens"), 4);
  EXPECT_DOUBLE_EQ(entry.at("peer").at("ms"), 2000.0);
  EXPECT_DOUBLE_EQ(entry.at("peer").at("tok_s"), 2.0);
  EXPECT_GT(entry.at("yona").at("tok_s"), 0.0);
  EXPECT_GT(entry.at("yona").at("first_s"), 0.0);
  EXPECT_GT(entry.at("yona").at("mem_mb"), 1.0);
}

TEST_F(BenchCompare, NamesAnEngineThatEndsTooSoon) {
  const ProgramResult result = compare({"--python", actor("exit 3")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err.substr(result.err.rfind("yona: ")),
            "yona: Acted ctranslate2 ended with code 3: a library says hello\n");
}

TEST_F(BenchCompare, TakesRandomTokensWithoutAnInput) {
  const ProgramResult result =
      run_yona({"bench", "compare", "--model", model_->path(), "--python", "no-such-python",
                "--lines", "3", "--rounds", "1", "--max-length", "10", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("lines"), 3);
  EXPECT_EQ(json.at("input"), "random tokens");
  EXPECT_LE(json.at("comparisons").at(0).at("yona").at("tokens"), 30);
}

TEST_F(BenchCompare, RefusesWhatItCannotCompare) {
  write_bytes(folder_ / "blank", "\n\n");
  const auto message = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"bench", "compare"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  EXPECT_EQ(message({}), "yona: compare: --model is missing; name the folder of a model\n");
  EXPECT_EQ(message({"--model", "no-such"}), "yona: --model: no-such: no such folder\n");
  EXPECT_EQ(message({"--model", model_->path(), "--input", "no-such"}),
            "yona: --input: no-such: no such file\n");
  EXPECT_NE(message({"--model", model_->path(), "--input", folder_ / "blank"})
                .find("there is no line to translate"),
            std::string::npos);
  EXPECT_NE(message({"--model", model_->path(), "--engines", "fairseq"}).find("got 'fairseq'"),
            std::string::npos);
}

}  // namespace
}  // namespace yona::testing
