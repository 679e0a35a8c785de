// `yona train` of the tasks other than translation and parsing: a run that is killed goes on to the
// same bytes, and what is wrong with the files is said in one line.

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TrainTasks : public ::testing::Test {
 protected:
  TrainTasks() {
    std::string text;
    std::string labelled = "label\tsentence\n";
    for (int i = 0; i < 100; ++i) {
      text += i % 3 == 0 ? "the cat sees the dog\n" : "a farmer has a house\n";
      labelled += i % 2 == 0 ? "good\ta fine film\n" : "bad\ta dull film\n";
    }
    write_bytes(folder_ / "text.txt", text);
    write_bytes(folder_ / "texts.tsv", labelled);
  }

  std::vector<std::string> command(const std::string& task, const std::string& run) const {
    std::vector<std::string> words{"train",       "--task",    task, "--output",
                                   folder_ / run, "--updates", "24", "--batch-tokens",
                                   "128",         "--threads", "1",  "-q"};
    const auto set = [&](const std::vector<std::string>& settings) {
      for (const std::string& setting : settings) {
        words.insert(words.end(), {"--set", setting});
      }
    };
    set({"train.warmup=5", "train.save_every=8", "train.tensorboard=false", "model.layers=1",
         "model.d_model=16", "model.d_ff=16", "model.heads=2"});
    if (task == "language-model") {
      words.insert(words.end(), {"--preset", "char-small"});
      set({"model.max_positions=32"});
    } else {
      words.insert(words.end(), {"--preset", "bert-tiny", "--vocab-size", "60"});
      set({"data.max_length=16"});
    }
    return words;
  }
  static std::vector<std::string> with(std::vector<std::string> words,
                                       const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Starts the run and kills it when its first checkpoint is there.
  void kill_after_a_checkpoint(const std::vector<std::string>& words, const fs::path& run) const {
    const RunningProgram program(words);
    for (int i = 0; i < 3000 && !fs::exists(run / "checkpoints" / "latest"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    program.send(SIGKILL);
  }
  std::string refused(const std::vector<std::string>& words) const {
    const ProgramResult result = run_yona(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    return result.err;
  }

  TempDir folder_;
};

TEST_F(TrainTasks, ARunThatIsKilledGoesOnToTheSameBytes) {
  for (const std::string task : {"language-model", "masked-lm", "classification"}) {
    const std::string data = task == "classification" ? "texts.tsv" : "text.txt";
    const std::vector<std::string> files{"--train", folder_ / data};
    const ProgramResult straight = run_yona(with(command(task, task), files));
    ASSERT_EQ(straight.code, 0) << straight.err;
    const std::string killed = task + "-killed";
    kill_after_a_checkpoint(with(command(task, killed), files), folder_ / killed);
    const ProgramResult resumed =
        run_yona({"train", "--output", folder_ / killed, "--resume", "--threads", "2", "-q"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    for (const char* file : {"model.safetensors", "checkpoints/step-24/model.safetensors",
                             "checkpoints/step-24/optimizer.safetensors"}) {
      const std::string bytes = read_bytes(folder_ / task / file);
      EXPECT_FALSE(bytes.empty()) << task << " " << file;
      EXPECT_TRUE(bytes == read_bytes(folder_ / killed / file)) << task << " " << file;
    }
  }
}

TEST_F(TrainTasks, BadFilesAreRefusedInOneLine) {
  write_bytes(folder_ / "bad.txt", "a \xFF b\n");
  write_bytes(folder_ / "empty.txt", "");
  write_bytes(folder_ / "unknown.tsv", "label\tsentence\nfair\ta film\n");
  for (const std::string task : {"language-model", "masked-lm", "classification"}) {
    const std::vector<std::string> words = command(task, "bad");
    EXPECT_THAT(refused(words), HasSubstr("give --train"));
    EXPECT_THAT(refused(with(words, {"--train", "/nowhere"})),
                HasSubstr("data.train: /nowhere: no such file"));
    EXPECT_THAT(refused(with(words, {"--train", folder_ / "empty.txt"})), HasSubstr("empty.txt: "));
    EXPECT_THAT(refused(with(words, {"--train", folder_ / "text.txt", "--src-lang", "en"})),
                HasSubstr("--src-lang: is not a flag of the task " + task));
  }
  EXPECT_THAT(refused(with(command("language-model", "bad"), {"--train", folder_ / "bad.txt"})),
              HasSubstr("bad.txt: is not UTF-8"));
  EXPECT_THAT(refused(with(command("classification", "bad"),
                           {"--train", folder_ / "texts.tsv", "--valid", folder_ / "unknown.tsv"})),
              HasSubstr("unknown.tsv:2: the label 'fair' is unknown; those of the training data "
                        "are bad, good"));
}

}  // namespace
}  // namespace yona::testing
