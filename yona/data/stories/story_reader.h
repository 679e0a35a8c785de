// Stories with questions in the format of the bAbI files (Weston et al. 2015):
//
//   1 Mary moved to the bathroom.
//   2 John went to the hallway.
//   3 Where is Mary?	bathroom	1
//
// The number counts the lines of a story; 1 begins a new one. A line with a tab is a question about
// the sentences above it, with its answer and the numbers of the sentences that support it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

using StoryWords = std::vector<std::string>;

struct StoryQuestion {
  std::shared_ptr<const std::vector<StoryWords>> story;  // all its sentences, for all its questions
  std::size_t above = 0;                                 // sentences above the question
  StoryWords question;
  std::string answer;               // one word; lists are one as well: "apple,milk"
  std::vector<std::int64_t> facts;  // supporting sentences, from 0; may be empty
  std::uint64_t line = 0;           // in its file, from 1

  std::span<const StoryWords> sentences() const { return {story->data(), above}; }
};

struct StoryFile {
  std::string name;
  std::vector<StoryQuestion> questions;
};

// Throws IoError, or FormatError naming file and line: a line without a number, a question without
// sentences above it, without words or without an answer, a file without questions.
StoryFile read_stories(const std::filesystem::path& path);
// The same of text in memory; `name` is for messages.
StoryFile parse_stories(std::string_view text, const std::string& name);

// The words of a sentence in lower case, without the full stop or question mark at its end.
StoryWords story_words(std::string_view sentence);

}  // namespace yona
