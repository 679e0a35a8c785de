// `yona vocab`: sub-words trained on text files, in a folder that training can use.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/json.h"
#include "yona/cli/commands.h"
#include "yona/data/corpus_subwords.h"
#include "yona/io/model_folder.h"

namespace yona::cli {

namespace {

struct VocabFlags {
  std::vector<std::string> source, target, tags;
  std::string output;
  std::string size = "8000";
  std::string algorithm = "bpe";
  std::string normalisation = "identity";
  std::string max_lines = "1000000";
  std::string seed = "1";
  bool separate = false;
  bool split_digits = false;
  bool json = false;
};

SubwordTraining training_of(const VocabFlags& flags) {
  SubwordTraining training;
  training.algorithm = word_value("--subwords", flags.algorithm, {"bpe", "unigram"}) == "bpe"
                           ? SubwordAlgorithm::bpe
                           : SubwordAlgorithm::unigram;
  training.vocabulary_size =
      static_cast<int>(integer_value("--vocab-size", flags.size, {3, 1 << 24}));
  training.normalization = word_value("--normalisation", flags.normalisation,
                                      {"identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"});
  training.max_lines = integer_value("--max-lines", flags.max_lines, {1});
  training.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
  training.tags = flags.tags;
  training.split_digits = flags.split_digits;
  return training;
}

CorpusSpec corpus_of(const VocabFlags& flags) {
  CorpusSpec corpus;
  corpus.source_files = path_list(flags.source);
  corpus.target_files = path_list(flags.target);
  for (const auto& path : corpus.source_files) {
    require_file("--train-src", path);
  }
  for (const auto& path : corpus.target_files) {
    require_file("--train-tgt", path);
  }
  return corpus;
}

std::filesystem::path prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  const bool has_subwords = std::filesystem::exists(folder / "vocab.json", error) ||
                            std::filesystem::exists(folder / "source.spm", error) ||
                            std::filesystem::exists(folder / "target.spm", error);
  check(!has_subwords, "--output: {} holds a vocabulary already; choose another folder",
        folder.string());
  check(!is_model_folder(folder), "--output: {} holds a model; choose another folder",
        folder.string());
  std::filesystem::create_directories(folder, error);
  check<IoError>(!error, "--output: {} cannot be made: {}", folder.string(), error.message());
  return folder;
}

int run(const CLI::App& app, const VocabFlags& flags) {
  require_flag(app, "--train-src", !flags.source.empty(), "name the files of the source language");
  require_flag(app, "--train-tgt", !flags.target.empty(), "name the files of the target language");
  require_flag(app, "--output", !flags.output.empty(), "name a folder for the sub-words");
  const SubwordTraining training = training_of(flags);
  const CorpusSpec corpus = corpus_of(flags);
  const std::filesystem::path folder = prepare_folder(flags.output);
  const SubwordPair subwords = train_subwords(
      {corpus}, training, flags.separate ? VocabularySharing::separate : VocabularySharing::shared);
  subwords.save(folder);
  const std::int64_t source = subwords.source.vocabulary().size();
  const std::int64_t target = subwords.target.vocabulary().size();
  if (flags.json) {
    fmt::print("{}\n", Json{{"source_vocabulary", source},
                            {"target_vocabulary", target},
                            {"shared", !flags.separate},
                            {"output", flags.output}}
                           .dump());
  } else {
    fmt::print("{} pieces{} in {}\n", grouped(source),
               flags.separate ? fmt::format(" (source) and {} (target)", grouped(target)) : "",
               flags.output);
  }
  return 0;
}

}  // namespace

Command add_vocab(CLI::App& program) {
  CLI::App* app = add_command(
      program, {"vocab", "train sub-words from parallel text into a folder",
                "yona vocab --train-src train.en --train-tgt train.de --vocab-size 8000 "
                "--output vocab\n"
                "yona train --set data.source_model=vocab/source.spm …"});
  const auto flags = std::make_shared<VocabFlags>();
  add_list(*app, flags->source, {"--train-src", "FILE…", "source sentences, one a line"});
  add_list(*app, flags->target, {"--train-tgt", "FILE…", "their translations"});
  add_text(*app, flags->output, {"-o,--output", "DIR", "folder for source.spm and the others"});
  add_text(*app, flags->size, {"--vocab-size", "N", "pieces, all counted (default 8000)"});
  add_text(*app, flags->algorithm,
           {"--subwords", "bpe|unigram", "how pieces are chosen (default bpe)"});
  add_switch(*app, flags->separate, {"--separate", "", "one vocabulary for each language"});
  add_list(*app, flags->tags, {"--tags", "TAG…", "pieces such as '<BT>' that are never cut"});
  add_text(*app, flags->normalisation,
           {"--normalisation", "NAME", "identity (leave text as it is), nfkc, nmt_nfkc, …_cf"});
  add_switch(*app, flags->split_digits, {"--split-digits", "", "each digit is a piece"});
  add_text(*app, flags->max_lines,
           {"--max-lines", "N", "sample that many lines of a larger corpus (default 1000000)"});
  add_text(*app, flags->seed, {"--seed", "N", "seed of that sample (default 1)"});
  add_switch(*app, flags->json, {"--json", "", "the result as JSON"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
