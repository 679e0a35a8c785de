#include "yona/data/stories/story_examples.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona {

namespace {

void append_ids(const std::vector<std::int32_t>& ids, Side& side) {
  side.ids.insert(side.ids.end(), ids.begin(), ids.end());
  side.end_example();
}

}  // namespace

StoryVocabulary::StoryVocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  for (const std::string& word : words_) {
    check(ids_.emplace(word, static_cast<std::int32_t>(ids_.size())).second,
          "a vocabulary has the word '{}' twice", word);
  }
}

StoryVocabulary StoryVocabulary::of(const std::vector<StoryFile>& files) {
  std::set<std::string> words;
  std::shared_ptr<const std::vector<StoryWords>> story;
  std::size_t read = 0;  // sentences of the story: its questions share them
  for (const StoryFile& file : files) {
    for (const StoryQuestion& question : file.questions) {
      if (question.story != story) {
        story = question.story;
        read = 0;
      }
      for (; read < question.above; ++read) {
        words.insert((*story)[read].begin(), (*story)[read].end());
      }
      words.insert(question.question.begin(), question.question.end());
      words.insert(question.answer);
    }
  }
  return StoryVocabulary({words.begin(), words.end()});
}

std::int32_t StoryVocabulary::id(const std::string& word, const std::string& file,
                                 std::uint64_t line) const {
  const auto found = ids_.find(word);
  check<FormatError>(found != ids_.end(),
                     "{}:{}: the word '{}' of this question or its story is not in the training "
                     "files, so the model does not know it",
                     file, line, word);
  return found->second;
}

StoryExamples::StoryExamples(const std::vector<StoryFile>& files, const StoryVocabulary& vocabulary,
                             std::int64_t memory) {
  for (const StoryFile& file : files) {
    std::uint64_t digest = 0;
    const std::size_t first = items_.size();
    for (const StoryQuestion& question : file.questions) {
      add(question, file.name, vocabulary, static_cast<std::size_t>(memory));
    }
    for (std::size_t i = first; i < items_.size(); ++i) {
      for (const auto* ids : {&items_[i].words, &items_[i].sentences, &items_[i].question}) {
        for (const std::int32_t id : *ids) {
          digest = mix(digest, static_cast<std::uint64_t>(id));
        }
      }
      digest = mix(digest, static_cast<std::uint64_t>(items_[i].answer));
    }
    add_part(file.name, 1.0, file.questions.size(), fmt::format("{:016x}", digest));
  }
}

void StoryExamples::add(const StoryQuestion& question, const std::string& file,
                        const StoryVocabulary& vocabulary, std::size_t memory) {
  const auto ids = [&](const StoryWords& words, std::vector<std::int32_t>& to) {
    for (const std::string& word : words) {
      to.push_back(vocabulary.id(word, file, question.line));
    }
  };
  const std::span<const StoryWords> sentences = question.sentences();
  cut_stories_ += sentences.size() > memory ? 1 : 0;
  Item item;
  for (const StoryWords& sentence : sentences.last(std::min(sentences.size(), memory))) {
    ids(sentence, item.words);
    item.sentences.push_back(static_cast<std::int32_t>(sentence.size()));
  }
  ids(question.question, item.question);
  item.answer = vocabulary.id(question.answer, file, question.line);
  items_.push_back(std::move(item));
}

Examples::Lengths StoryExamples::lengths(std::uint64_t example) const {
  const Item& item = items_[example];
  return {static_cast<std::int64_t>(item.words.size()),
          static_cast<std::int64_t>(item.sentences.size()),
          static_cast<std::int64_t>(item.question.size()), 1};
}

void StoryExamples::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                         const Draw& /*draw*/, Batch& batch) const {
  batch.clear();
  for (const std::uint32_t example : examples) {
    const Item& item = items_[example];
    append_ids(item.words, batch.sides[kStoryWords]);
    append_ids(item.sentences, batch.sides[kStorySentences]);
    append_ids(item.question, batch.sides[kStoryQuestion]);
    append_ids({item.answer}, batch.sides[kStoryAnswer]);
    const std::size_t part = part_of(example);
    batch.example_ids.push_back(example_id(part, example - parts()[part].first));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
