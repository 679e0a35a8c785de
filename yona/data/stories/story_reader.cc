#include "yona/data/stories/story_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "yona/base/error.h"
#include "yona/data/line_reader.h"

namespace yona {

namespace {

std::optional<std::int64_t> leading_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

std::string_view without_spaces_around(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  const std::size_t end = text.find_last_not_of(' ');
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

class StoryParser {
 public:
  explicit StoryParser(std::string name) : file_{std::move(name), {}} {}

  void add(std::string_view text) {
    ++line_;
    const std::optional<std::int64_t> number = leading_number(text);
    check<FormatError>(number && *number >= 1 && !text.empty() && text.front() == ' ',
                       "{}:{}: does not begin with a line number and a space; expected lines such "
                       "as '1 Mary moved to the bathroom.'",
                       file_.name, line_);
    if (*number == 1) {
      story_ = std::make_shared<std::vector<StoryWords>>();
      places_.clear();
    }
    const std::size_t tab = text.find('\t');
    if (tab != text.npos) {
      add_question(text.substr(0, tab), text.substr(tab + 1));
      return;
    }
    StoryWords words = story_words(text);
    check<FormatError>(!words.empty(), "{}:{}: the sentence has no words", file_.name, line_);
    places_[*number] = static_cast<std::int64_t>(story_->size());
    story_->push_back(std::move(words));
  }

  StoryFile finish() {
    check<FormatError>(!file_.questions.empty(),
                       "{}: has no questions; a question is a line with a tab and its answer: "
                       "'3 Where is Mary?<tab>bathroom<tab>1'",
                       file_.name);
    return std::move(file_);
  }

 private:
  void add_question(std::string_view question, std::string_view rest) {
    const std::size_t tab = rest.find('\t');
    StoryQuestion item{.story = story_,
                       .above = story_->size(),
                       .question = story_words(question),
                       .answer = lower_case(without_spaces_around(rest.substr(0, tab))),
                       .facts = facts(tab == rest.npos ? std::string_view() : rest.substr(tab + 1)),
                       .line = line_};
    check<FormatError>(item.above > 0, "{}:{}: the question has no sentences above it in its story",
                       file_.name, line_);
    check<FormatError>(!item.question.empty(), "{}:{}: the question has no words", file_.name,
                       line_);
    check<FormatError>(!item.answer.empty(), "{}:{}: the question has no answer", file_.name,
                       line_);
    file_.questions.push_back(std::move(item));
  }

  std::vector<std::int64_t> facts(std::string_view text) const {
    std::vector<std::int64_t> found;
    for (text = without_spaces_around(text); !text.empty(); text = without_spaces_around(text)) {
      const std::optional<std::int64_t> number = leading_number(text);
      const auto place = number ? places_.find(*number) : places_.end();
      check<FormatError>(
          place != places_.end(), "{}:{}: '{}' is not the number of a sentence above the question",
          file_.name, line_, number ? fmt::format("{}", *number) : std::string(text));
      found.push_back(place->second);
    }
    return found;
  }

  StoryFile file_;
  std::uint64_t line_ = 0;
  // The sentences of the story so far, which its questions share.
  std::shared_ptr<std::vector<StoryWords>> story_ = std::make_shared<std::vector<StoryWords>>();
  std::map<std::int64_t, std::int64_t> places_;  // line number in the story → sentence
};

}  // namespace

StoryWords story_words(std::string_view sentence) {
  StoryWords words;
  sentence = without_spaces_around(sentence);
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == '?')) {
    sentence = without_spaces_around(sentence.substr(0, sentence.size() - 1));
  }
  while (!sentence.empty()) {
    const std::size_t space = sentence.find(' ');
    words.push_back(lower_case(sentence.substr(0, space)));
    sentence =
        space == sentence.npos ? std::string_view() : without_spaces_around(sentence.substr(space));
  }
  return words;
}

StoryFile parse_stories(std::string_view text, const std::string& name) {
  StoryParser parser(name);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    parser.add(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return parser.finish();
}

StoryFile read_stories(const std::filesystem::path& path) {
  StoryParser parser(path.string());
  LineReader reader(path);
  LineReader::Line line;
  while (reader.next(line)) {
    check<FormatError>(line.valid_utf8, "{}:{}: is not UTF-8", path.string(), reader.lines());
    parser.add(line.text);
  }
  return parser.finish();
}

}  // namespace yona
