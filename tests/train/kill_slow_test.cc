// The promise of checkpoints, kept against kill -9: a run killed at random moments, again and
// again, and resumed each time ends with the bytes of the run that was never killed. Dropout is on.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/data/builtin/generator.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class KillTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "yona-kill-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    builtin::Generator generator({.seed = 5}, builtin::Split::train);
    for (const std::string name : {"train", "valid"}) {
      std::ofstream en(folder_ / (name + ".en"));
      std::ofstream de(folder_ / (name + ".de"));
      for (int i = 0; i < (name == "train" ? 2000 : 50); ++i) {
        const auto [source, target] = generator.next_pair();
        en << source << '\n';
        de << target << '\n';
      }
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Starts `yona train`; returns its process id.
  pid_t start(const std::string& run, bool resume, const std::string& updates = "100") const {
    std::vector<std::string> words{YONA_PROGRAM, "train", "--output", (folder_ / run).string(),
                                   "--progress", "quiet"};
    if (resume) {
      words.emplace_back("--resume");
    } else {
      for (const std::string& word :
           std::vector<std::string>{"--preset",       "tiny",
                                    "--train-src",    (folder_ / "train.en").string(),
                                    "--train-tgt",    (folder_ / "train.de").string(),
                                    "--valid-src",    (folder_ / "valid.en").string(),
                                    "--valid-tgt",    (folder_ / "valid.de").string(),
                                    "--updates",      updates,
                                    "--batch-tokens", "256",
                                    "--set",          "model.layers=1",
                                    "--set",          "model.d_model=32",
                                    "--set",          "model.d_ff=64",
                                    "--set",          "train.save_every=7",
                                    "--set",          "train.valid_every=25",
                                    "--set",          "data.vocabulary_size=450",
                                    "--set",          "train.accumulate=2"}) {
        words.push_back(word);
      }
    }
    const pid_t child = fork();
    if (child == 0) {
      std::vector<char*> arguments;
      for (std::string& word : words) {
        arguments.push_back(word.data());
      }
      arguments.push_back(nullptr);
      execv(YONA_PROGRAM, arguments.data());
      _exit(127);
    }
    return child;
  }

  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // Models and every checkpoint that both keep.
  std::map<std::string, std::string> files_of(const std::string& run) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / run)) {
      const std::string name = fs::relative(entry.path(), folder_ / run).string();
      const bool wanted = name.starts_with("checkpoints/") || name.ends_with(".safetensors") ||
                          name.ends_with(".json") || name.ends_with(".spm");
      if (entry.is_regular_file() && wanted) {
        files[name] = content_of(entry.path());
      }
    }
    return files;
  }

  fs::path folder_;
};

TEST_F(KillTest, ARunKilledManyTimesEndsWithTheBytesOfOneThatWasNot) {
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(wait_for(start("straight", false)), 0);
  const double microseconds =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  RandomSequence random(std::random_device{}());
  int kills = 0;
  pid_t child = start("killed", false);
  for (;;) {
    // Between a twentieth and half of the time that the whole run takes on this machine.
    usleep(static_cast<useconds_t>(microseconds * (0.05 + 0.45 * random.uniform())));
    if (kills < 6 && kill(child, SIGKILL) == 0) {
      const int status = wait_for(child);
      if (status == 0) {
        break;  // it had finished already
      }
      ASSERT_EQ(status, -SIGKILL);
      ++kills;
      // Before its first checkpoint a run can also begin again.
      const bool has_state = fs::exists(folder_ / "killed/config.yaml");
      if (!has_state) {
        fs::remove_all(folder_ / "killed");
      }
      child = start("killed", has_state);
    } else {
      ASSERT_EQ(wait_for(child), 0);
      break;
    }
  }
  RecordProperty("kills", kills);
  EXPECT_GE(kills, 1);
  const auto straight = files_of("straight");
  EXPECT_TRUE(straight.contains("model.safetensors"));
  EXPECT_TRUE(straight.contains("checkpoints/step-100/optimizer.safetensors"));
  EXPECT_EQ(straight, files_of("killed"));
}

TEST_F(KillTest, CtrlCSavesAndTheExitCodeSaysSo) {
  const pid_t child = start("run", false);
  while (!fs::exists(folder_ / "run/checkpoints/latest")) {
    usleep(20000);
  }
  kill(child, SIGINT);
  const int status = wait_for(child);
  EXPECT_TRUE(status == 130 || status == 0) << status;
  EXPECT_EQ(wait_for(start("run", true)), 0);
}

TEST_F(KillTest, ASecondRunInTheSameFolderIsRefused) {
  const pid_t child = start("run", false, "1000000000");  // it ends when it is killed
  while (!fs::exists(folder_ / "run/checkpoints/latest")) {
    usleep(20000);
  }
  EXPECT_EQ(wait_for(start("run", true)), 2);
  kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
}

}  // namespace
}  // namespace yona
