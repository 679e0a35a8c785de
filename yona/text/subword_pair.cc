// Both sides' sub-words in a model's folder.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/text/subword.h"
#include "yona/text/word_segmenter.h"

namespace yona {

namespace {

void write_text(const std::filesystem::path& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

}  // namespace

SubwordPair SubwordPair::load(const std::filesystem::path& folder) {
  const std::filesystem::path symbols = folder / kSymbolsFile;
  const bool has_symbols = std::filesystem::exists(symbols);
  for (const char* file : {"vocab.json", "source.spm", has_symbols ? kSymbolsFile : "target.spm"}) {
    check<FormatError>(
        !std::filesystem::is_directory(folder) || std::filesystem::exists(folder / file),
        "{}: no sub-words: {} is missing", folder.string(), file);
  }
  auto vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(folder / "vocab.json"));
  Subword source = Subword::load(folder / "source.spm", vocabulary);
  if (has_symbols) {
    return {std::move(source), whole_symbols(Vocabulary::read(symbols), symbols.string())};
  }
  auto target_vocabulary = vocabulary;
  if (const auto path = folder / "target_vocab.json"; std::filesystem::exists(path)) {
    target_vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(path));
  }
  if (target_vocabulary == vocabulary && read_file(folder / "target.spm") == source.model()) {
    return {source, source};  // the library needs tens of milliseconds for a model
  }
  return {std::move(source), Subword::load(folder / "target.spm", std::move(target_vocabulary))};
}

void SubwordPair::save(const std::filesystem::path& folder) const {
  write_text(folder / "source.spm", source.model());
  source.vocabulary().write(folder / "vocab.json");
  if (target.model().empty()) {
    target.vocabulary().write(folder / kSymbolsFile);
    return;
  }
  write_text(folder / "target.spm", target.model());
  std::filesystem::remove(folder / kSymbolsFile);  // of an older run
  if (!has_shared_vocabulary()) {
    target.vocabulary().write(folder / "target_vocab.json");
  }
}

Subword whole_symbols(Vocabulary vocabulary, std::string_view name) {
  auto shared = std::make_shared<const Vocabulary>(std::move(vocabulary));
  return {std::make_shared<const WordSegmenter>(shared), shared, name};
}

std::string SubwordPair::fingerprint() const {
  const std::string of_source = source.vocabulary().fingerprint();
  const bool is_one = &source.vocabulary() == &target.vocabulary() || has_shared_vocabulary();
  return is_one ? of_source : of_source + "-" + target.vocabulary().fingerprint();
}

SubwordPair SubwordPair::with_tags(const std::vector<std::string>& tags) const {
  return {source.with_tags(tags), target.with_tags(tags)};
}

}  // namespace yona
