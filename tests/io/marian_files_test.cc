#include "yona/io/marian_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::write_bytes;

TEST(MarianFiles, AreAFolderWithAnNpzAndNoConfigJson) {
  const testing::TempDir folder;
  EXPECT_FALSE(is_marian_folder(folder.path()));
  EXPECT_FALSE(is_marian_folder(folder / "none"));
  write_bytes(folder / "model.npz.optimizer.npz", "");
  EXPECT_FALSE(is_marian_folder(folder.path()));
  write_bytes(folder / "model.npz", "");
  EXPECT_FALSE(is_marian_folder(folder.path()));  // attention.npz, say
  write_bytes(folder / "vocab.spm", "");
  EXPECT_TRUE(is_marian_folder(folder.path()));
  write_bytes(folder / "config.json", "");
  EXPECT_FALSE(is_marian_folder(folder.path()));
}

TEST(MarianFiles, AreNamedByTheYamlOfDecoding) {
  const testing::TempDir folder;
  for (const char* name : {"a.npz", "b.npz", "v.src.yml", "v.trg.yml"}) {
    write_bytes(folder / name, "");
  }
  write_bytes(folder / "decoder.yml",
              "models:\n  - /elsewhere/b.npz\nvocabs: [v.src.yml, /elsewhere/v.trg.yml]\n"
              "beam-size: 6\n");
  const MarianFiles files = find_marian_files(folder.path());
  EXPECT_EQ(files.model, folder / "b.npz");
  EXPECT_THAT(files.vocabularies, ElementsAre(folder / "v.src.yml", folder / "v.trg.yml"));
  EXPECT_EQ(files.values["beam-size"], 6);
}

TEST(MarianFiles, AreFoundAfterTrainingToo) {
  const testing::TempDir folder;
  for (const char* name : {"model.npz", "model.best.npz", "vocab.spm"}) {
    write_bytes(folder / name, "");
  }
  write_bytes(folder / "model.npz.yml", "vocabs: [/run/vocab.spm, /run/vocab.spm]\n");
  const MarianFiles files = find_marian_files(folder.path());
  EXPECT_EQ(files.model, folder / "model.npz");
  EXPECT_THAT(files.vocabularies, ElementsAre(folder / "vocab.spm", folder / "vocab.spm"));
  fs::remove(folder / "model.npz.yml");
  EXPECT_EQ(find_marian_files(folder.path()).vocabularies.size(), 2U);
}

TEST(MarianFiles, SayWhatIsMissing) {
  const testing::TempDir folder;
  const auto error_of = [&] {
    return message_of<Error>([&] { find_marian_files(folder.path()); });
  };
  write_bytes(folder / "a.npz", "");
  EXPECT_THAT(error_of(), HasSubstr("0 vocabularies; a translation model has two"));
  write_bytes(folder / "b.npz", "");
  EXPECT_THAT(error_of(), HasSubstr("2 .npz files and no decoder.yml that names one"));
  write_bytes(folder / "decoder.yml", "models: [a.npz, b.npz]\n");
  EXPECT_THAT(error_of(), HasSubstr("names 2 models; give a folder for each"));
  write_bytes(folder / "decoder.yml", "models: [c.npz]\n");
  EXPECT_THAT(error_of(), HasSubstr("c.npz: decoder.yml names it, but it is not there"));
  write_bytes(folder / "decoder.yml", "models: 5\n");
  EXPECT_THAT(error_of(), HasSubstr("\"models\" cannot be 5"));
  write_bytes(folder / "decoder.yml", "models: [a.npz]\nvocabs: [a.npz]\n");
  EXPECT_THAT(error_of(), HasSubstr("1 vocabularies"));
}

MarianFiles with_vocabulary(const testing::TempDir& folder, std::string_view yaml) {
  write_bytes(folder / "v.yml", yaml);
  return {.model = {}, .vocabularies = {folder / "v.yml", folder / "v.yml"}};
}

ModelDescription of_size(std::int64_t size) {
  ModelDescription description;
  description.config.source_vocabulary = description.config.target_vocabulary = size;
  return description;
}

TEST(MarianFiles, APlainVocabularyMeansWordsBetweenSpaces) {
  const testing::TempDir folder;
  const MarianFiles files = with_vocabulary(folder, "</s>: 0\n<unk>: 1\nzwei: 2\nfar: 9\n");
  const SubwordPair pair = load_marian_subwords(files, of_size(5));
  EXPECT_TRUE(pair.has_shared_vocabulary());
  EXPECT_EQ(pair.source.vocabulary().size(), 5);
  EXPECT_EQ(pair.source.vocabulary().piece(3), "<unused_3>");  // 9 is beyond the model's table
  EXPECT_EQ(pair.source.vocabulary().pad(), 4);
  std::vector<std::int32_t> ids;
  pair.source.encode("zwei drei", ids);
  EXPECT_THAT(ids, ElementsAre(2, 1));
}

TEST(MarianFiles, RefusesVocabulariesThatCannotBe) {
  const testing::TempDir folder;
  const auto error_of = [&](std::string_view yaml) {
    const MarianFiles files = with_vocabulary(folder, yaml);
    return message_of<FormatError>([&] { load_marian_subwords(files, of_size(5)); });
  };
  EXPECT_THAT(error_of("[a, b]"), HasSubstr("v.yml: not a map of pieces to ids"));
  EXPECT_THAT(error_of("a: b\n"), HasSubstr("the id of 'a' cannot be \"b\""));
  EXPECT_THAT(error_of("a: -1\n"), HasSubstr("the id of 'a' cannot be -1"));
  EXPECT_THAT(error_of("a: 2\nb: 2\n"), HasSubstr("'a' and 'b' have the same id"));
  EXPECT_THAT(error_of("a: 2\n"), HasSubstr("</s>"));
  const MarianFiles odd{.model = {}, .vocabularies = {folder / "v.bin", folder / "v.bin"}};
  EXPECT_THAT(message_of<FormatError>([&] { load_marian_subwords(odd, of_size(5)); }),
              HasSubstr("v.bin: vocabularies of this kind are not read"));
}

}  // namespace
}  // namespace yona
