// `yona translate` on folders of Hugging Face's families: languages and the folder's own search.

#include <filesystem>

#include <gmock/gmock.h>

#include "yona/backend/cpu/features.h"

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

ProgramResult translate_with(const char* family, std::vector<std::string> more) {
  const TempDir folder;
  write_bytes(folder / "input", "The old farmer.\n\nGuten Morgen\n");
  std::vector<std::string> arguments{
      "translate", "--model", (std::filesystem::path(YONA_FIXTURES) / "families" / family).string(),
      "--input", folder / "input"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_yona(arguments);
}

TEST(TranslateFamilies, TakesLanguagesByTheirCodesOrTheirBeginnings) {
  const ProgramResult whole =
      translate_with("nllb", {"--src-lang", "eng_Latn", "--tgt-lang", "deu_Latn"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(lines_of(whole.out), SizeIs(3));
  const ProgramResult brief = translate_with("nllb", {"--src-lang", "en", "--tgt-lang", "de"});
  EXPECT_EQ(brief.out, whole.out) << brief.err;
  EXPECT_THAT(translate_with("nllb", {"--src-lang", "en", "--tgt-lang", "fr", "--json"}).out,
              HasSubstr("fra_Latn"));
}

TEST(TranslateFamilies, SaysWhereAModelIsNotDecodedInBf16) {
  if (!cpu_has_bf16()) {
    GTEST_SKIP() << "this CPU has no bf16 instructions";
  }
  constexpr const char* kWarning = "decode: f32 is used: a model whose logits have a bias";
  const ProgramResult marian = translate_with("marian", {"--compute-type", "bf16"});
  EXPECT_EQ(marian.code, 0) << marian.err;
  EXPECT_THAT(marian.err, HasSubstr(kWarning));
  const ProgramResult gated = translate_with("t5-gated", {"--compute-type", "bf16"});
  EXPECT_EQ(gated.code, 0) << gated.err;
  EXPECT_THAT(gated.err, Not(HasSubstr(kWarning)));
}

TEST(TranslateFamilies, AsksForALanguageThatItCannotGuess) {
  ProgramResult result = translate_with("nllb", {});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--tgt-lang: the model has 202 languages; name the one"));
  result = translate_with("m2m100", {"--src-lang", "xx", "--tgt-lang", "de"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--src-lang: the model has no language 'xx'"));
}

TEST(TranslateFamilies, SearchesAsTheFolderSaysAndAsIsTyped) {
  const ProgramResult own = translate_with("marian", {"-v"});
  ASSERT_EQ(own.code, 0) << own.err;
  EXPECT_THAT(own.err, HasSubstr("mode huggingface: beam 4, length penalty 1"));
  EXPECT_THAT(translate_with("marian", {"-v", "--beam", "2"}).err, HasSubstr("beam 2"));
  EXPECT_THAT(translate_with("marian", {"-v", "--beam-mode", "marian"}).err,
              HasSubstr("mode marian: beam 12"));
}

TEST(TranslateFamilies, SearchesAsTheFolderSaysWhereHuggingFacesWayIsAskedFor) {
  for (const char* family : {"t5", "m2m100-untied", "bart"}) {
    const std::vector<std::string> languages =
        std::string_view(family).starts_with("m2m")
            ? std::vector<std::string>{"--src-lang", "en", "--tgt-lang", "de"}
            : std::vector<std::string>{};
    const ProgramResult own = translate_with(family, languages);
    ASSERT_EQ(own.code, 0) << own.err;
    std::vector<std::string> named = languages;
    named.insert(named.end(), {"--beam-mode", "huggingface"});
    EXPECT_EQ(translate_with(family, named).out, own.out) << family;
  }
}

TEST(TranslateFamilies, TakesTheFolderThatMarianLeaves) {
  const ProgramResult result = translate_with("../marian_npz/spm", {"-v"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(lines_of(result.out), SizeIs(3));
  EXPECT_THAT(result.err, HasSubstr("mode marian: beam 4, length penalty 1"));
  const ProgramResult file = translate_with("../marian_npz/spm/model.npz", {});
  EXPECT_EQ(file.code, 2);
  EXPECT_THAT(file.err, HasSubstr("model.npz: is a file, not a folder"));
}

}  // namespace
}  // namespace yona::testing
