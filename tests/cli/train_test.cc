// `yona train` from the outside: a small run to its end, interrupted and resumed, and everything
// that can be wrong with what the user gives.

#include <algorithm>
#include <chrono>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Train : public ::testing::Test {
 protected:
  Train() {
    std::string english;
    std::string german;
    for (int i = 0; i < 300; ++i) {
      english += fmt::format("the house number {} is red\n", i * 7);
      german += fmt::format("das Haus Nummer {} ist rot\n", i * 7);
    }
    write_bytes(folder_ / "a.en", english);
    write_bytes(folder_ / "a.de", german);
  }

  std::string path(std::string_view name) const { return folder_ / name; }

  // A run of the smallest model, with `more` behind.
  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"train",
                                       "--train-src",
                                       path("a.en"),
                                       "--train-tgt",
                                       path("a.de"),
                                       "--preset",
                                       "tiny",
                                       "--set",
                                       "model.layers=1",
                                       "--set",
                                       "model.d_ff=32",
                                       "--set",
                                       "model.d_model=16",
                                       "--batch-tokens",
                                       "256",
                                       "--vocab-size",
                                       "400",
                                       "--set",
                                       "train.schedule=paper",
                                       "--threads",
                                       "1",
                                       "--output",
                                       path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  ProgramResult train(const std::vector<std::string>& more) const {
    return run_yona(command(more));
  }

  // Wrong use: exit code 2 and one line, nothing left behind.
  static std::string complaint(const std::vector<std::string>& arguments) {
    const ProgramResult result = run_yona(arguments);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }
  std::string wrong(const std::vector<std::string>& more) const { return complaint(command(more)); }

  TempDir folder_;
};

TEST_F(Train, MakesAModelFolderAndSaysWhatItDoes) {
  const ProgramResult result =
      train({"--updates", "4", "--set", "train.log_every=2", "--set", "train.valid_every=2",
             "--valid-src", "dev=" + path("a.en"), "--valid-tgt", path("a.de"), "--src-lang", "en",
             "--tgt-lang", "de"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("peak memory about "));
  EXPECT_THAT(result.err, HasSubstr("\nupdate 2/4  epoch 1  loss "));
  EXPECT_THAT(result.err, HasSubstr("\ndev at update 4: loss "));
  EXPECT_THAT(result.err, HasSubstr("\ndone after 4 updates in "));
  for (const char* file : {"config.json", "model.safetensors", "vocab.json", "config.yaml"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" / file)) << file;
  }
  const ProgramResult info = run_yona({"info", "--model", path("run")});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr(": en → de, 1 + 1 layers, d_model 16, d_ff 32, 4 heads"));
}

TEST_F(Train, WritesJsonLinesForPrograms) {
  const ProgramResult result =
      train({"--updates", "2", "--set", "train.log_every=1", "--progress", "json"});
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    const std::string event = Json::parse(line).at("event");
    if (event != "message") {
      events.push_back(event);
    }
  }
  EXPECT_THAT(events, ElementsAre("started", "update", "update", "saved", "finished"));
}

TEST_F(Train, IsSilentWhenAskedToBe) {
  const ProgramResult result = train({"--updates", "1", "-q"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
  std::filesystem::remove_all(folder_ / "run");
  EXPECT_EQ(train({"--updates", "1", "--progress", "quiet"}).err, "");
}

TEST_F(Train, SavesOnASignalAndGoesOnFromThere) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(folder_ / "run");
    RunningProgram program(
        command({"--updates", "1000000", "--set", "train.log_every=1", "--progress", "plain"}));
    for (int i = 0; i < 600 && program.err().find("\nupdate 2") == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    program.send(signal);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 130);
    EXPECT_THAT(result.err, HasSubstr("stopping: saving first; once more ends at once\n"));
    EXPECT_THAT(result.err, HasSubstr("interrupted and saved after update "));
    const ProgramResult resumed =
        run_yona({"train", "--output", path("run"), "--resume", "--updates", "1000000", "--set",
                  "train.epochs=1", "--progress", "json", "--threads", "1"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_THAT(resumed.out, HasSubstr("going on from "));
  }
}

TEST_F(Train, EndsAtOnceOnASecondSignal) {
  RunningProgram program(
      command({"--updates", "1000000", "--set", "train.log_every=1", "--progress", "plain"}));
  for (int i = 0; i < 600 && program.err().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  program.send(SIGINT);
  program.send(SIGTERM);
  EXPECT_THAT(program.wait().code, ::testing::AnyOf(128 + SIGINT, 128 + SIGTERM));
}

TEST_F(Train, RefusesAFolderThatHoldsARunAndResumesWhenAsked) {
  ASSERT_EQ(train({"--updates", "1", "-q"}).code, 0);
  const std::string message =
      "this folder holds a run already; use --resume to go on with it, or another --output\n";
  EXPECT_THAT(wrong({}), HasSubstr(message));
  EXPECT_THAT(complaint({"train", "--output", path("run")}), HasSubstr(message));
  const ProgramResult resumed =
      run_yona({"train", "--output", path("run"), "--resume", "--updates", "2"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("\nresuming after update 1, up to 2 updates into "));
}

TEST_F(Train, KeepsTheConfigurationOfARunThatCannotBeResumedAsAsked) {
  ASSERT_EQ(train({"--updates", "1", "-q"}).code, 0);
  const std::string before = read_bytes(folder_ / "run/config.yaml");
  const std::vector<std::string> resume{"train", "--output", path("run"), "--resume", "-q"};
  std::vector<std::string> changed = resume;
  changed.insert(changed.end(), {"--seed", "2"});
  EXPECT_THAT(complaint(changed), HasSubstr("train.seed: 1 → 2; resume with"));
  EXPECT_EQ(read_bytes(folder_ / "run/config.yaml"), before);
  EXPECT_EQ(run_yona(resume).code, 0);
}

TEST_F(Train, IsRefusedOtherDataUnlessChangesAreAllowedAndLogged) {
  ASSERT_EQ(train({"--updates", "1", "-q"}).code, 0);
  std::vector<std::string> resume{"train",       "--output",   path("run"),   "--resume",
                                  "--train-src", path("a.de"), "--train-tgt", path("a.en"),
                                  "--updates",   "2"};
  EXPECT_THAT(complaint(resume),
              HasSubstr("the run would not go on as it began: corpus train: a.en → " +
                        path("a.de") + "; corpus train: a.de → " + path("a.en") + "; resume with"));
  resume.emplace_back("--allow-changes");
  const ProgramResult allowed = run_yona(resume);
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  const std::string change = "changed: corpus train: a.en → " + path("a.de");
  EXPECT_THAT(allowed.err, HasSubstr(change));
  EXPECT_THAT(read_bytes(folder_ / "run/log.jsonl"), HasSubstr(change));
}

TEST_F(Train, SaysWhatIsMissingForResuming) {
  EXPECT_EQ(complaint({"train", "--resume", "--output", path("none")}),
            "yona: --resume: " + path("none") +
                ": no such folder; to begin a run there, give --train-src and --train-tgt\n");
  ASSERT_EQ(train({"--updates", "1", "-q"}).code, 0);
  std::filesystem::rename(folder_ / "run/config.yaml", folder_ / "config.yaml");
  EXPECT_THAT(complaint({"train", "--resume", "--output", path("run")}),
              HasSubstr("has no config.yaml, in which a run keeps its settings"));
  std::filesystem::rename(folder_ / "config.yaml", folder_ / "run/config.yaml");
  std::filesystem::remove(folder_ / "run/source.spm");
  EXPECT_THAT(complaint({"train", "--resume", "--output", path("run"), "-q"}),
              HasSubstr("the run's sub-words are not complete: source.spm is missing"));
  EXPECT_THAT(wrong({"--allow-changes"}), HasSubstr("--allow-changes: is given without --resume"));
}

TEST_F(Train, RefusesAFolderThatHoldsSomethingElse) {
  std::filesystem::create_directory(folder_ / "run");
  write_bytes(folder_ / "run/model.int8.safetensors", "x");
  EXPECT_THAT(wrong({}), HasSubstr("this folder holds model.int8.safetensors, and is not a run of "
                                   "`yona train`; name a new folder with --output"));
}

TEST_F(Train, RefusesPipesAndDevices) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_THAT(complaint({"train", "--train-src", path("fifo"), "--train-tgt", path("a.de"),
                         "--output", path("run")}),
              HasSubstr("data.train: " + path("fifo") + ": is a pipe or a device"));
  EXPECT_THAT(wrong({"--valid-src", "/dev/null", "--valid-tgt", path("a.de")}),
              HasSubstr("data.valid: /dev/null: is a pipe or a device"));
  EXPECT_THAT(wrong({"--config", "/dev/zero"}),
              HasSubstr("/dev/zero: is larger than 1048576 bytes; --config names a YAML file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(Train, RecordsAConfigurationThatMakesTheSameRun) {
  ASSERT_EQ(train({"--updates", "2", "-q"}).code, 0);
  ASSERT_EQ(run_yona({"train", "--config", path("run/config.yaml"), "--output", path("again"),
                      "--threads", "1", "-q"})
                .code,
            0);
  EXPECT_EQ(read_bytes(folder_ / "run/model.safetensors"),
            read_bytes(folder_ / "again/model.safetensors"));
  EXPECT_EQ(read_bytes(folder_ / "run/config.yaml"), read_bytes(folder_ / "again/config.yaml"));
}

TEST_F(Train, FineTunesWithInit) {
  ASSERT_EQ(train({"--updates", "1", "-q"}).code, 0);
  const ProgramResult tuned =
      run_yona({"train", "--train-src", path("a.en"), "--train-tgt", path("a.de"), "--init",
                path("run"), "--output", path("tuned"), "--updates", "1", "--batch-tokens", "256"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(run_yona({"info", "--model", path("tuned")}).out, HasSubstr("d_model 16, d_ff 32"));
}

TEST_F(Train, ComplainsAboutWhatIsMissing) {
  EXPECT_EQ(complaint({"train"}),
            "yona: train: --output is missing; name a folder for the model and the run\n");
  EXPECT_THAT(complaint({"train", "--output", path("run")}),
              HasSubstr("data.train: there is nothing to train on; give --train-src and "
                        "--train-tgt"));
  EXPECT_THAT(complaint({"train", "--train-src", path("a.en"), "--output", path("run")}),
              HasSubstr("--train-src names 1 files and --train-tgt 0; they are paired"));
  EXPECT_THAT(complaint({"train", "--train-src", path("b.en"), "--train-tgt", path("a.de"),
                         "--output", path("run")}),
              HasSubstr("b.en: no such file\n"));
  EXPECT_THAT(wrong({"--valid-src", path("b.en"), "--valid-tgt", path("a.de")}),
              HasSubstr("data.valid: " + path("b.en") + ": no such file\n"));
  EXPECT_THAT(wrong({"--config", path("none.yaml")}), HasSubstr("none.yaml: no such file"));
  EXPECT_THAT(wrong({"--set", "data.source_model=/none.spm"}),
              HasSubstr("data.source_model: /none.spm: no such file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(Train, ComplainsAboutWhatDoesNotGoTogether) {
  EXPECT_THAT(wrong({"--init", folder_.path()}),
              HasSubstr("is not a model folder (no config.json)"));
  write_bytes(folder_ / "config.json", "{}");
  EXPECT_THAT(wrong({"--init", folder_.path()}),
              HasSubstr("--preset: is given together with --init"));
  EXPECT_THAT(
      wrong({"--progress", "jsno"}),
      HasSubstr("--progress: expected bar, plain, quiet or json (did you mean json?), got 'jsno'"));
  EXPECT_THAT(wrong({"--set", "model.heads=3"}), HasSubstr("3 heads do not divide"));
  EXPECT_THAT(wrong({"--set", "train.patience=2"}), HasSubstr("needs a validation set"));
  EXPECT_THAT(wrong({"--device", "tpu"}), HasSubstr("--device: expected cpu or cuda, got 'tpu'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(Train, ComplainsAboutFilesOfUnequalLength) {
  write_bytes(folder_ / "b.de", "eins\nzwei\n");
  const std::string message = complaint({"train", "--train-src", path("a.en"), "--train-tgt",
                                         path("b.de"), "--output", path("run"), "-q"});
  EXPECT_THAT(message, HasSubstr("300"));
  EXPECT_THAT(message, HasSubstr("2"));
}

// Before anything is learnt or written: sub-words of a large corpus take minutes.
TEST_F(Train, ComplainsAboutValidationFilesOfUnequalLengthBeforeItBegins) {
  write_bytes(folder_ / "b.en", "one\ntwo\nthree\n");
  write_bytes(folder_ / "b.de", "eins\nzwei\n");
  const std::string message =
      wrong({"--valid-src", path("b.en"), "--valid-tgt", path("b.de"), "--progress", "plain"});
  EXPECT_THAT(message, HasSubstr("b.en"));
  EXPECT_THAT(message, HasSubstr("3"));
  EXPECT_THAT(message, HasSubstr("2"));
  for (const char* file : {"vocab.json", "source.spm", "cache", "config.yaml"}) {
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run" / file)) << file;
  }
}

TEST_F(Train, FitsATimeAndSaysHowLongItWillTake) {
  std::vector<std::string> arguments = command({"--for", "2s"});
  std::replace(arguments.begin(), arguments.end(), std::string("train.schedule=paper"),
               std::string("train.tensorboard=false"));
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("\nplanned: "));
  EXPECT_THAT(result.err, HasSubstr("\nthis will take about "));
  EXPECT_THAT(read_bytes(folder_ / "run/config.yaml"), HasSubstr("time: \"2s\""));
}

TEST_F(Train, TheSameCommandGoesOnWithAPlannedRunAndAnotherTimeIsRefused) {
  write_bytes(folder_ / "c.yaml", "model: {layers: 1, d_model: 16, heads: 2, d_ff: 32}\n");
  const auto start = [&](const std::string& time) {
    return run_yona({"train", "--train-src", path("a.en"), "--train-tgt", path("a.de"), "--config",
                     path("c.yaml"), "--vocab-size", "400", "--threads", "1", "--for", time,
                     "--resume", "--output", path("run")});
  };
  EXPECT_EQ(start("1s").code, 0);
  const std::string recorded = read_bytes(folder_ / "run/config.yaml");
  const ProgramResult again = start("1s");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_bytes(folder_ / "run/config.yaml"), recorded);
  const ProgramResult other = start("2s");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("train.time (--for): 2s is not the 1s that "));
}

TEST_F(Train, RefusesATimeTogetherWithUpdates) {
  EXPECT_THAT(wrong({"--for", "20m", "--updates", "9"}),
              HasSubstr("--for: is given together with --updates"));
  EXPECT_THAT(wrong({"--for", "20"}), HasSubstr("--for: expected a time such as 90s, 20m"));
}

TEST_F(Train, WarnsOfARateThatIsTakenForAFactor) {
  const ProgramResult result =
      train({"--updates", "1", "--set", "train.learning_rate=0.0005", "-q"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("warning: train.learning_rate 0.0005 is a factor"));
}

TEST_F(Train, WarnsOfAPresetThatTheFileHides) {
  write_bytes(folder_ / "c.yaml", "preset: base\nmodel: {layers: 2, d_model: 16, heads: 2}\n");
  const ProgramResult result =
      run_yona({"train",         "--train-src",  path("a.en"), "--train-tgt",    path("a.de"),
                "--config",      path("c.yaml"), "--preset",   "tiny",           "--set",
                "model.heads=1", "--updates",    "1",          "--batch-tokens", "256",
                "--vocab-size",  "400",          "--output",   path("run"),      "-q"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("warning: --preset tiny does not change what " + path("c.yaml") +
                        " sets itself: model.encoder_layers, model.decoder_layers, "
                        "model.d_model\n"));
}

TEST_F(Train, AFileSizeLimitIsAnErrorLikeAFullDisk) {
  std::string line = "ulimit -f 40; exec \"" YONA_PROGRAM "\"";  // 20 or 40 kB: no weights fit
  for (const std::string& word : command({"--updates", "1", "-q"})) {
    line += " '" + word + "'";
  }
  line += " 2> '" + path("err") + "'";
  const int status = std::system(line.c_str());
  const std::string err = read_bytes(folder_ / "err");
  EXPECT_EQ(WEXITSTATUS(status), 1) << err;
  EXPECT_THAT(err, ::testing::StartsWith("yona: "));
  EXPECT_THAT(err, HasSubstr("File too large"));
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

TEST_F(Train, FailsWhereItCannotWrite) {
  write_bytes(folder_ / "file", "x");
  std::vector<std::string> arguments = command({"-q"});
  std::replace(arguments.begin(), arguments.end(), path("run"), path("file/run"));
  const ProgramResult result = run_yona(arguments);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot make the output folder"));
}

}  // namespace
}  // namespace yona::testing
