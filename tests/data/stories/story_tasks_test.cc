// The generator's answers, compared with those of a small solver that knows the text alone.
#include "yona/data/stories/story_tasks.h"

#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/stories/story_reader.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using Solver = std::function<std::string(const StoryQuestion& question)>;

bool is_one_of(const std::string& word, const std::set<std::string>& words) {
  return words.contains(word);
}

// What is known of people and things after all sentences: read from the verbs.
struct Tracker {
  std::map<std::string, std::string> place;    // of a person
  std::map<std::string, std::string> carrier;  // of a thing
  std::map<std::string, std::vector<std::string>> stays;

  explicit Tracker(const StoryQuestion& question) {
    for (const StoryWords& words : question.sentences()) {
      read(words);
    }
  }
  void read(const StoryWords& words) {
    const std::string& who = words[0];
    const std::string& verb = words[1];
    if (is_one_of(verb, {"went", "moved", "travelled", "journeyed"})) {
      place[who] = words.back();
    } else if (is_one_of(verb, {"took", "grabbed", "picked"})) {
      carrier[words.back()] = who;
    } else if (is_one_of(verb, {"dropped", "left", "put"})) {
      carrier.erase(words.back());
    }
    for (const auto& [thing, person] : carrier) {
      std::vector<std::string>& list = stays[thing];
      if (list.empty() || list.back() != place[person]) {
        list.push_back(place[person]);
      }
    }
  }
  std::vector<std::string> things_of(const std::string& person) const {
    std::vector<std::string> things;
    for (const auto& [thing, who] : carrier) {
      if (who == person) {
        things.push_back(thing);
      }
    }
    return things;
  }
};

void expect_solved(const std::string& task, const Solver& solver) {
  const StoryFile file = parse_stories(make_stories(task, 300, 11), task);
  ASSERT_GE(file.questions.size(), 300U);
  std::set<std::string> answers;
  for (const StoryQuestion& question : file.questions) {
    EXPECT_EQ(solver(question), question.answer) << task << ", line " << question.line;
    answers.insert(question.answer);
  }
  EXPECT_GT(answers.size(), 1U) << task;
}

TEST(StoryTasks, FactsAreThoseOfTheText) {
  expect_solved("single-fact",
                [](const StoryQuestion& q) { return Tracker(q).place.at(q.question.back()); });
  expect_solved("two-facts", [](const StoryQuestion& q) {
    return Tracker(q).stays.at(q.question.back()).back();
  });
  expect_solved("three-facts", [](const StoryQuestion& q) {
    const auto stays = Tracker(q).stays.at(q.question[3]);
    EXPECT_EQ(stays.back(), q.question.back());
    return stays[stays.size() - 2];
  });
}

TEST(StoryTasks, ArgumentsAreThoseOfTheText) {
  expect_solved("two-arguments", [](const StoryQuestion& q) {
    for (const StoryWords& s : q.sentences()) {  // the a is north of the b
      const bool asks_first = q.question[2] != "the";
      if (asks_first && s.back() == q.question.back()) {
        return s[1];
      }
      if (!asks_first && s[1] == q.question[3]) {
        return s.back();
      }
    }
    return std::string("?");
  });
  expect_solved("three-arguments", [](const StoryQuestion& q) {
    for (const StoryWords& s : q.sentences()) {  // mary gave the apple to john
      if (s[1] == "gave") {
        return q.question[0] == "what" ? s[3] : q.question[1] == "gave" ? s[0] : s[5];
      }
    }
    return std::string("?");
  });
}

TEST(StoryTasks, YesAndNoCountsAndListsFollowFromTheText) {
  expect_solved("yes-no", [](const StoryQuestion& q) {
    return Tracker(q).place.at(q.question[1]) == q.question.back() ? "yes" : "no";
  });
  expect_solved("counting", [](const StoryQuestion& q) {
    const std::vector<std::string> numbers{"none", "one", "two", "three"};
    return numbers.at(Tracker(q).things_of(q.question[4]).size());
  });
  expect_solved("lists", [](const StoryQuestion& q) {
    std::string list;
    for (const std::string& thing : Tracker(q).things_of(q.question[2])) {
      list += (list.empty() ? "" : ",") + thing;
    }
    return list.empty() ? std::string("nothing") : list;
  });
}

TEST(StoryTasks, PathsLeadThere) {
  const std::map<std::string, std::pair<int, int>> ways{
      {"north", {0, 1}}, {"south", {0, -1}}, {"east", {1, 0}}, {"west", {-1, 0}}};
  const StoryFile file = parse_stories(make_stories("paths", 200, 4), "paths");
  for (const StoryQuestion& q : file.questions) {
    // The coordinates of all rooms from that of the question's start.
    std::map<std::string, std::pair<int, int>> at{{q.question[6], {0, 0}}};
    for (std::size_t round = 0; round < q.sentences().size(); ++round) {
      for (const StoryWords& s : q.sentences()) {  // the a is north of the b
        const auto [x, y] = ways.at(s[3]);
        if (at.contains(s[6]) && !at.contains(s[1])) {
          at[s[1]] = {at[s[6]].first + x, at[s[6]].second + y};
        } else if (at.contains(s[1]) && !at.contains(s[6])) {
          at[s[6]] = {at[s[1]].first - x, at[s[1]].second - y};
        }
      }
    }
    const std::size_t comma = q.answer.find(',');
    const auto first = ways.at(q.answer.substr(0, comma));
    const auto second = ways.at(q.answer.substr(comma + 1));
    EXPECT_EQ(at.at(q.question.back()),
              (std::pair{first.first + second.first, first.second + second.second}));
  }
}

TEST(StoryTasks, SizesFollowFromTheChain) {
  expect_solved("sizes", [](const StoryQuestion& q) {
    std::map<std::string, std::string> larger;
    for (const StoryWords& s : q.sentences()) {  // the a fits inside the b
      larger[s[1]] = s.back();
    }
    for (std::string at = q.question[2]; larger.contains(at);) {
      at = larger[at];
      if (at == q.question.back()) {
        return "yes";
      }
    }
    return "no";
  });
}

TEST(StoryTasks, AllTwentyAreFunctionsOfTheSeed) {
  const std::vector<std::string> names = story_task_names();
  EXPECT_EQ(names.size(), 20U);
  for (const std::string& name : names) {
    const std::string text = make_stories(name, 50, 1);
    EXPECT_EQ(text, make_stories(name, 50, 1));
    EXPECT_NE(text, make_stories(name, 50, 2));
    std::set<std::string> answers;
    for (const StoryQuestion& question : parse_stories(text, name).questions) {
      answers.insert(question.answer);
      EXPECT_EQ(std::set<std::int64_t>(question.facts.begin(), question.facts.end()).size(),
                question.facts.size())
          << name << ", line " << question.line;
    }
    EXPECT_GT(answers.size(), 1U) << name;
  }
  EXPECT_THAT(message_of<InvalidArgument>([] { make_stories("riddles", 1, 1); }),
              HasSubstr("'riddles' is not a task of the generator; use single-fact, two-facts"));
}

}  // namespace
}  // namespace yona::testing
