// `yona shortlist`, and `yona translate` with what it makes, as a user sees them.

#include "yona/decode/shortlist.h"

#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "yona/base/json.h"
#include "yona/io/translation_model.h"

#include "tests/cli/translate_fixture.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ShortlistCommand : public Translate {
 protected:
  static std::string corpus(const std::string& language) {
    return model_->path().parent_path() / ("train." + language);
  }
  ProgramResult shortlist(std::vector<std::string> more) const {
    std::vector<std::string> arguments{"shortlist", "--model", model_->path(), "--output", path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yona(arguments);
  }
  ProgramResult from_text(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--train-src", corpus("en"), "--train-tgt", corpus("de")});
    return shortlist(more);
  }
  std::string path() const { return folder_ / "lex"; }
  static std::string ten_lines() {
    std::string text;
    for (std::size_t i = 0; i < 10; ++i) {
      text += line(i) + "\n";
    }
    return text;
  }
};

TEST_F(ShortlistCommand, CountsInTextByEachAligner) {
  for (const char* by : {"text", "attention"}) {
    const ProgramResult result = from_text({"--by", by, "--per-piece", "20", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json json = Json::parse(result.out);
    EXPECT_EQ(json.at("sentence_pairs"), 300) << by;
    EXPECT_EQ(json.at("output"), path());
    EXPECT_GT(json.at("translations").get<int>(), 300) << by;
    const Shortlist made = Shortlist::load(path());
    EXPECT_EQ(made.translations(), json.at("translations"));
    const ModelInfo info = read_model_info(model_->path());
    EXPECT_EQ(made.source_vocabulary(), info.config.source_vocabulary);
    EXPECT_EQ(made.target_vocabulary(), info.config.target_vocabulary);
    EXPECT_LT(made.candidates({5, 6}).size(), 160U);
  }
}

TEST_F(ShortlistCommand, TakesLinksBetweenWords) {
  write_bytes(folder_ / "one.en", line(0) + "\n");
  write_bytes(folder_ / "one.de", "Haus\n");
  write_bytes(folder_ / "one.align", "0-0\n");
  const ProgramResult result =
      shortlist({"--train-src", folder_ / "one.en", "--train-tgt", folder_ / "one.de",
                 "--alignments", folder_ / "one.align", "--frequent", "0"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" translations of pieces from 1 sentence pairs in " + path()));
  EXPECT_GT(Shortlist::load(path()).translations(), 0);
}

TEST_F(ShortlistCommand, TakesATableOfPieces) {
  const SubwordPair subwords = load_model_subwords(model_->path(), read_model_info(model_->path()));
  const Vocabulary& vocabulary = subwords.target.vocabulary();
  write_bytes(
      folder_ / "lex.s2t",
      fmt::format("{} {} 0.9\n{} {} 0.1\n{} NULL 0.5\n", vocabulary.piece(7), vocabulary.piece(5),
                  vocabulary.piece(8), vocabulary.piece(5), vocabulary.piece(7)));
  const ProgramResult result = shortlist(
      {"--lexicon", folder_ / "lex.s2t", "--per-piece", "1", "--frequent", "0", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("lines"), 3);
  EXPECT_THAT(result.err,
              HasSubstr("lex.s2t: 1 of 3 lines with pieces that the model does not have"));
  EXPECT_THAT(Shortlist::load(path()).candidates({5}), ::testing::ElementsAre(0, 1, 5, 7));
}

TEST_F(ShortlistCommand, WithTheWholeVocabularyNoTranslationChanges) {
  const TransformerConfig config = read_model_info(model_->path()).config;
  Shortlist::Parts parts{.target_vocabulary = config.target_vocabulary};
  parts.offsets.resize(static_cast<std::size_t>(config.source_vocabulary) + 1);
  parts.always.resize(static_cast<std::size_t>(config.target_vocabulary));
  std::iota(parts.always.begin(), parts.always.end(), 0);
  Shortlist(parts).save(path());
  for (const char* type : {"f32", "int8"}) {
    for (const char* beam : {"1", "4"}) {
      const std::vector<std::string> flags{"--compute-type", type, "--beam", beam};
      const ProgramResult plain = translate(ten_lines(), flags);
      std::vector<std::string> with = flags;
      with.insert(with.end(), {"--shortlist", path()});
      const ProgramResult shortlisted = translate(ten_lines(), with);
      ASSERT_EQ(shortlisted.code, 0) << shortlisted.err;
      EXPECT_EQ(shortlisted.out, plain.out) << type << ", beam " << beam;
      EXPECT_THAT(shortlisted.err, IsEmpty());
    }
  }
}

TEST_F(ShortlistCommand, WithLittleRoomTheLinesBesideDoNotMatter) {
  ASSERT_EQ(from_text({"--per-piece", "3", "--frequent", "5"}).code, 0);
  const std::vector<std::string> flags{"--compute-type", "int8", "--shortlist", path()};
  std::string one_by_one;
  for (std::size_t i = 0; i < 10; ++i) {
    one_by_one += translate(line(i) + "\n", flags).out;
  }
  EXPECT_EQ(translate(ten_lines(), flags).out, one_by_one);
}

TEST_F(ShortlistCommand, TakesPrefixesThatAreNotInIt) {
  ASSERT_EQ(from_text({"--per-piece", "0", "--frequent", "0"}).code, 0);
  write_bytes(folder_ / "prefix", "Ein rotes Haus\n");
  const ProgramResult result =
      translate(line(0) + "\n", {"--shortlist", path(), "--prefix", folder_ / "prefix"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::StartsWith("Ein rotes Haus"));
}

TEST_F(ShortlistCommand, SaysWhatIsMissingOrWrong) {
  const auto complaint = [&](const std::vector<std::string>& more) {
    const ProgramResult result = shortlist(more);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(run_yona({"shortlist"}).err,
            "yona: shortlist: --model is missing; name a model folder\n");
  EXPECT_EQ(run_yona({"shortlist", "--model", model_->path()}).err,
            "yona: shortlist: --output is missing; name a file for the shortlist\n");
  EXPECT_EQ(complaint({}),
            "yona: shortlist: --train-src is missing; name a file of the source language\n");
  EXPECT_EQ(complaint({"--train-src", corpus("en")}),
            "yona: shortlist: --train-tgt is missing; name the file of its translations\n");
  EXPECT_EQ(complaint({"--by", "guess"}), "yona: --by: expected text or attention, got 'guess'\n");
  EXPECT_EQ(complaint({"--lexicon", corpus("en"), "--train-src", corpus("en")}),
            "yona: --lexicon is counted already; leave --train-src, --train-tgt and --alignments "
            "out\n");
  EXPECT_THAT(
      complaint({"--train-src", corpus("en"), "--train-tgt", corpus("de"), "--per-piece", "-1"}),
      HasSubstr("--per-piece: expected a whole number"));
  write_bytes(folder_ / "short.de", "eins\n");
  EXPECT_THAT(complaint({"--train-src", corpus("en"), "--train-tgt", folder_ / "short.de"}),
              HasSubstr("short.de has 1 line, the input has more"));
  write_bytes(folder_ / "blank", "\n\n");
  EXPECT_THAT(complaint({"--train-src", folder_ / "blank", "--train-tgt", folder_ / "blank"}),
              HasSubstr("blank has no sentence to count in"));
  write_bytes(folder_ / "words.lex", "Haus house 0.5\n");
  EXPECT_THAT(complaint({"--lexicon", folder_ / "words.lex"}),
              HasSubstr("words.lex: none of its 1 line has pieces of the model; it must be made "
                        "from text that is cut into the model's sub-words"));
  write_bytes(folder_ / "bad.align", "0:0\n");
  write_bytes(folder_ / "one.en", line(0) + "\n");
  EXPECT_THAT(complaint({"--train-src", folder_ / "one.en", "--train-tgt", folder_ / "short.de",
                         "--alignments", folder_ / "bad.align"}),
              HasSubstr("bad.align:1: "));
}

TEST_F(ShortlistCommand, ReplacesAShortlistButNothingElse) {
  ASSERT_EQ(from_text().code, 0);
  EXPECT_EQ(from_text().code, 0);
  const std::string weights = folder_ / "model.safetensors";
  std::filesystem::copy_file(model_->path() / "model.safetensors", weights);
  const std::string before = read_bytes(weights);
  const ProgramResult result =
      run_yona({"shortlist", "--model", model_->path(), "--train-src", corpus("en"), "--train-tgt",
                corpus("de"), "--output", weights});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "yona: --output: " + weights +
                            " already exists and is not a shortlist; name another file\n");
  EXPECT_EQ(read_bytes(weights), before);
}

TEST_F(ShortlistCommand, TranslateSaysWhenItCannotUseOne) {
  const auto complaint = [&](const std::vector<std::string>& more) {
    const ProgramResult result = translate(line(0) + "\n", more);
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_EQ(complaint({"--shortlist", "/no/such/file"}),
            "yona: --shortlist: /no/such/file: no such file\n");
  EXPECT_THAT(complaint({"--shortlist", corpus("en")}), HasSubstr(corpus("en")));
  ASSERT_EQ(from_text().code, 0);
  EXPECT_EQ(complaint({"--shortlist", path(), "--score-targets", corpus("de")}),
            "yona: --score-targets searches for nothing; leave --shortlist out\n");
  EXPECT_EQ(complaint({"--shortlist", path(), "--device", "cuda"}),
            "yona: --shortlist is for CPUs; a GPU computes all outputs as fast\n");
  Shortlist({.target_vocabulary = 4, .offsets = {0, 0}}).save(folder_ / "other");
  EXPECT_THAT(complaint({"--shortlist", folder_ / "other"}),
              HasSubstr("the shortlist is of 1 source and 4 target pieces, the model has "));
  Shortlist another = Shortlist::load(path());
  another.set_vocabulary("0123456789abcdef");
  another.save(folder_ / "another");
  EXPECT_EQ(complaint({"--shortlist", folder_ / "another"}),
            fmt::format("yona: {}: the shortlist is of another vocabulary than {} has; make one "
                        "for it by `yona shortlist`\n",
                        (folder_ / "another").string(), model_->path().string()));
}

}  // namespace
}  // namespace yona::testing
