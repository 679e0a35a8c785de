// Both sides' sub-words in a model's folder.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/text/subword.h"

namespace yona {

namespace {

void write_text(const std::filesystem::path& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

}  // namespace

SubwordPair SubwordPair::load(const std::filesystem::path& folder) {
  for (const char* file : {"vocab.json", "source.spm", "target.spm"}) {
    check<FormatError>(
        !std::filesystem::is_directory(folder) || std::filesystem::exists(folder / file),
        "{}: no sub-words: {} is missing", folder.string(), file);
  }
  auto vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(folder / "vocab.json"));
  auto target_vocabulary = vocabulary;
  if (const auto path = folder / "target_vocab.json"; std::filesystem::exists(path)) {
    target_vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(path));
  }
  Subword source = Subword::load(folder / "source.spm", vocabulary);
  if (target_vocabulary == vocabulary && read_file(folder / "target.spm") == source.model()) {
    return {source, source};  // the library needs tens of milliseconds for a model
  }
  return {std::move(source), Subword::load(folder / "target.spm", std::move(target_vocabulary))};
}

void SubwordPair::save(const std::filesystem::path& folder) const {
  write_text(folder / "source.spm", source.model());
  write_text(folder / "target.spm", target.model());
  source.vocabulary().write(folder / "vocab.json");
  if (!has_shared_vocabulary()) {
    target.vocabulary().write(folder / "target_vocab.json");
  }
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
