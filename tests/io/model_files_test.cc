#include "yona/io/model_files.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checksums.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(ModelFiles, AreThoseThatLoadingReads) {
  const TempDir dir;
  for (const char* name : {"model-00001-of-00002.safetensors",
                           "model.safetensors.index.json",
                           "model.int8.safetensors",
                           "sentencepiece.bpe.model",
                           "spiece.model",
                           "target.spm",
                           "merges.txt",
                           "config.json",
                           "generation_config.json",
                           "model.npz",
                           "model.npz.decoder.yml",
                           "checksums.json",
                           "tokenizer.json",
                           ".model.safetensors.tmp-12",
                           "config.yaml",
                           "log.jsonl",
                           ".lock",
                           "README.md",
                           "optimizer.safetensors",
                           "model.npz.optimizer.npz"}) {
    write_bytes(dir / name, "x");
  }
  EXPECT_THAT(
      model_files(dir.path()),
      ElementsAre("checksums.json", "config.json", "generation_config.json", "merges.txt",
                  "model-00001-of-00002.safetensors", "model.int8.safetensors", "model.npz",
                  "model.npz.decoder.yml", "model.safetensors.index.json",
                  "sentencepiece.bpe.model", "spiece.model", "target.spm", "tokenizer.json"));
  EXPECT_THAT(model_files(dir / "none"), IsEmpty());
}

TEST(ModelFiles, OfACheckpointHaveTheirSubwordsInTheRun) {
  const TempDir dir;
  const fs::path run = fs::canonical(dir.path());
  fs::create_directories(run / "checkpoints" / "step-5");
  write_bytes(run / "checkpoints" / "step-5" / "state.json", "{}");
  fs::create_symlink("step-5", run / "checkpoints" / "latest");
  EXPECT_EQ(tokenizer_folder(run / "checkpoints" / "step-5"), run);
  EXPECT_EQ(tokenizer_folder(run / "checkpoints" / "step-5" / ""), run);
  EXPECT_EQ(tokenizer_folder(run / "checkpoints" / "latest"), run);
  EXPECT_EQ(tokenizer_folder(run), run);
  EXPECT_EQ(tokenizer_folder(run / "none"), run / "none");
}

class VerifiedFolder : public ::testing::Test {
 protected:
  VerifiedFolder() {
    for (const char* name : {"config.json", "vocab.json", "model.safetensors"}) {
      write_bytes(dir_ / name, std::string("content of ") + name);
    }
    EXPECT_EQ(record_checksums(dir_.path()), 3U);
  }
  std::string fault(VerifiedFiles which = VerifiedFiles::all) const {
    return message_of<FormatError>([&] { verify_model_files(dir_.path(), which); });
  }
  TempDir dir_;
};

TEST_F(VerifiedFolder, NamesAFileThatDiffersAndWhatToDo) {
  EXPECT_EQ(fault(), "");
  write_bytes(dir_ / "model.safetensors", "Content of model.safetensors");
  EXPECT_THAT(fault(), AllOf(HasSubstr("model.safetensors is damaged: its checksum is not the one"),
                             HasSubstr("yona info --model " + dir_.path().string() +
                                       " --record-checksums")));
  EXPECT_EQ(fault(VerifiedFiles::subwords), "");
  record_checksums(dir_.path());
  EXPECT_EQ(fault(), "");
  write_bytes(dir_ / "vocab.json", "Content of vocab.json");
  EXPECT_THAT(fault(VerifiedFiles::subwords), HasSubstr("vocab.json is damaged"));
}

TEST_F(VerifiedFolder, MayHaveOtherSettingsAndFilesThatAreNotListed) {
  write_bytes(dir_ / "config.json", "edited");
  write_bytes(dir_ / "target.spm", "new");
  EXPECT_EQ(fault(), "");
  fs::remove(dir_ / "checksums.json");
  write_bytes(dir_ / "model.safetensors", "anything");
  EXPECT_EQ(fault(), "");
}

}  // namespace
}  // namespace yona
