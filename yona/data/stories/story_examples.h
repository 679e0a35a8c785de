// Questions about stories as the examples of a run: words by their ids in a vocabulary.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "yona/data/examples.h"
#include "yona/data/stories/story_reader.h"

namespace yona {

// All words of training files and their answers, in alphabetical order.
class StoryVocabulary {
 public:
  // Throws InvalidArgument for a word given twice.
  explicit StoryVocabulary(std::vector<std::string> words);
  static StoryVocabulary of(const std::vector<StoryFile>& files);

  const std::vector<std::string>& words() const { return words_; }
  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  // Throws FormatError naming `file` and line for a word that is not in the vocabulary.
  std::int32_t id(const std::string& word, const std::string& file, std::uint64_t line) const;

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
};

// The sides of a question.
inline constexpr std::size_t kStoryWords = 0;      // of all its sentences
inline constexpr std::size_t kStorySentences = 1;  // their lengths
inline constexpr std::size_t kStoryQuestion = 2;
inline constexpr std::size_t kStoryAnswer = 3;

class StoryExamples : public Examples {
 public:
  // Of stories with more than `memory` sentences the last ones are kept. One part for each file.
  StoryExamples(const std::vector<StoryFile>& files, const StoryVocabulary& vocabulary,
                std::int64_t memory);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

  std::int64_t cut_stories() const { return cut_stories_; }

 private:
  void add(const StoryQuestion& question, const std::string& file,
           const StoryVocabulary& vocabulary, std::size_t memory);

  struct Item {
    std::vector<std::int32_t> words, sentences, question;
    std::int32_t answer = 0;
  };
  std::vector<Item> items_;
  std::int64_t cut_stories_ = 0;
};

}  // namespace yona
