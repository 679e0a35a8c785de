// A small world of people who walk about and carry things, and the stories that are told of it. It
// knows at every moment who and what is where, and which sentences said so: answers and their
// supporting facts are looked up, not worked out from the text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/random.h"

namespace yona {

// Text in the format of the bAbI files (data/stories/story_reader.h).
class StoryWriter {
 public:
  explicit StoryWriter(std::uint64_t key) : random_(key) {}

  void begin_story() { line_ = 0; }
  // Writes a sentence and gives the number of its line.
  int say(std::string_view sentence);
  // `facts` are lines; one that is given twice is written once.
  void ask(std::string_view question, std::string_view answer, const std::vector<int>& facts);

  std::int64_t questions() const { return questions_; }
  const std::string& text() const { return text_; }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool coin() { return below(2) == 0; }
  // `count` different numbers below `bound`, in a random order.
  std::vector<std::size_t> different(std::size_t count, std::size_t bound);

 private:
  RandomSequence random_;
  std::string text_;
  int line_ = 0;
  std::int64_t questions_ = 0;
};

inline constexpr std::array<std::string_view, 4> kPeople{"Mary", "John", "Sandra", "Daniel"};
inline constexpr std::array<std::string_view, 6> kPlaces{"bathroom", "bedroom", "garden",
                                                         "hallway",  "kitchen", "office"};
inline constexpr std::array<std::string_view, 3> kThings{"apple", "football", "milk"};

class StoryWorld {
 public:
  static constexpr int kNone = -1;
  // Where something was, and the lines that say so: `moved` brought it there, `taken` is the line
  // in which its carrier took it (0: it was not carried).
  struct Stay {
    int place = kNone;
    int moved = 0;
    int taken = 0;
  };

  explicit StoryWorld(StoryWriter& out) : out_(out) {}

  // What happened without being told in the usual words: these people are at a place since `line`.
  void put(std::size_t person, std::size_t place, int line);
  // "Mary went to the kitchen."
  void walk(std::size_t person);
  // Someone who can takes or drops a thing; else someone walks.
  void step();

  bool is_known(std::size_t person) const { return people_[person].place != kNone; }
  const Stay& person(std::size_t person) const { return people_[person]; }
  std::string_view place_of(std::size_t person) const;
  // The places of a thing since it was first taken, no two neighbours equal.
  const std::vector<Stay>& stays(std::size_t thing) const { return stays_[thing]; }
  int taken(std::size_t thing) const { return taken_[thing]; }  // the line; 0: never
  std::vector<std::size_t> carried_by(std::size_t person) const;
  // Another place than the person's own.
  std::size_t other_place(std::size_t person);

 private:
  void take(std::size_t person, std::size_t thing);
  void drop(std::size_t person, std::size_t thing);
  void note_stay(std::size_t thing, const Stay& stay);

  StoryWriter& out_;
  std::array<Stay, kPeople.size()> people_{};
  std::array<int, kThings.size()> carriers_{kNone, kNone, kNone};
  std::array<int, kThings.size()> taken_{};
  std::array<std::vector<Stay>, kThings.size()> stays_{};
};

// "went to", "moved to" …
std::string_view walking_verb(StoryWriter& out);

}  // namespace yona
