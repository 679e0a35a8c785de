#include "yona/study/byte_texts.h"

#include <map>
#include <set>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/labelled_texts.h"
#include "yona/study/list_ops.h"

namespace yona {

namespace {

constexpr std::int32_t kClassifier = 256;  // [CLS]

std::vector<std::int32_t> long_text(const std::vector<std::string>& sentences, std::int64_t length,
                                    RandomSequence& random) {
  const auto wanted = static_cast<std::size_t>(length);
  std::vector<std::int32_t> tokens{kClassifier};
  while (tokens.size() < wanted) {
    for (const char byte : sentences[random.below(sentences.size())]) {
      tokens.push_back(static_cast<unsigned char>(byte));
    }
    tokens.push_back('\n');
  }
  tokens.resize(wanted);
  return tokens;
}

}  // namespace

ByteTexts::ByteTexts(const std::filesystem::path& path) {
  const LabelledFile file = read_labelled_texts(path);
  std::map<std::string, std::vector<std::string>> by_label;
  std::set<std::string> names;
  for (const LabelledText& text : file.texts) {
    names.insert(text.label);
    by_label[text.label].push_back(text.first);
  }
  check<FormatError>(names.size() > 1, "{}: every label is '{}'; expected two or more", file.name,
                     *names.begin());
  for (const std::string& label : ordered_labels(names)) {
    const std::vector<std::string>& sentences = by_label[label];
    check<FormatError>(sentences.size() >= kHeldOut,
                       "{}: the label '{}' has {} sentences; expected {} or more", file.name, label,
                       sentences.size(), kHeldOut);
    training_.emplace_back();
    test_.emplace_back();
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      (i % kHeldOut == 0 ? test_ : training_).back().push_back(sentences[i]);
    }
  }
}

Batch ByteTexts::batch_of(const Sentences& sentences, const Size& size, std::uint64_t key) {
  Batch batch;
  batch.clear();
  for (std::int64_t i = 0; i < size.count; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const std::uint64_t id = mix(key, number);
    RandomSequence random(id);
    const std::size_t label = number % sentences.size();
    append_example(
        batch, {long_text(sentences[label], size.length, random), static_cast<std::int32_t>(label)},
        id);
  }
  return batch;
}

}  // namespace yona
