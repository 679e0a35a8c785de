#include "yona/data/stories/story_world.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace yona {

int StoryWriter::say(std::string_view sentence) {
  text_ += fmt::format("{} {}.\n", ++line_, sentence);
  return line_;
}

void StoryWriter::ask(std::string_view question, std::string_view answer,
                      const std::vector<int>& facts) {
  std::vector<int> different_facts;
  for (const int fact : facts) {
    if (std::find(different_facts.begin(), different_facts.end(), fact) == different_facts.end()) {
      different_facts.push_back(fact);
    }
  }
  text_ +=
      fmt::format("{} {}?\t{}\t{}\n", ++line_, question, answer, fmt::join(different_facts, " "));
  ++questions_;
}

std::vector<std::size_t> StoryWriter::different(std::size_t count, std::size_t bound) {
  std::vector<std::size_t> numbers(bound);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(numbers[i], numbers[i + below(bound - i)]);
  }
  numbers.resize(count);
  return numbers;
}

std::string_view walking_verb(StoryWriter& out) {
  constexpr std::array<std::string_view, 4> kVerbs{"went to", "moved to", "travelled to",
                                                   "journeyed to"};
  return kVerbs[out.below(kVerbs.size())];
}

std::string_view StoryWorld::place_of(std::size_t person) const {
  return kPlaces[static_cast<std::size_t>(people_[person].place)];
}

std::vector<std::size_t> StoryWorld::carried_by(std::size_t person) const {
  std::vector<std::size_t> things;
  for (std::size_t thing = 0; thing < kThings.size(); ++thing) {
    if (carriers_[thing] == static_cast<int>(person)) {
      things.push_back(thing);
    }
  }
  return things;
}

std::size_t StoryWorld::other_place(std::size_t person) {
  std::size_t place = out_.below(kPlaces.size());
  while (static_cast<int>(place) == people_[person].place) {
    place = out_.below(kPlaces.size());
  }
  return place;
}

void StoryWorld::note_stay(std::size_t thing, const Stay& stay) {
  if (stays_[thing].empty() || stays_[thing].back().place != stay.place) {
    stays_[thing].push_back(stay);
  }
}

void StoryWorld::put(std::size_t person, std::size_t place, int line) {
  people_[person] = {static_cast<int>(place), line, 0};
  for (const std::size_t thing : carried_by(person)) {
    note_stay(thing, {static_cast<int>(place), line, taken_[thing]});
  }
}

void StoryWorld::walk(std::size_t person) {
  const std::size_t place = other_place(person);
  put(person, place,
      out_.say(fmt::format("{} {} the {}", kPeople[person], walking_verb(out_), kPlaces[place])));
}

void StoryWorld::take(std::size_t person, std::size_t thing) {
  constexpr std::array<std::string_view, 3> kVerbs{"took", "grabbed", "picked up"};
  taken_[thing] =
      out_.say(fmt::format("{} {} the {}", kPeople[person], kVerbs[out_.below(3)], kThings[thing]));
  carriers_[thing] = static_cast<int>(person);
  note_stay(thing, {people_[person].place, people_[person].moved, taken_[thing]});
}

void StoryWorld::drop(std::size_t person, std::size_t thing) {
  constexpr std::array<std::string_view, 3> kVerbs{"dropped", "left", "put down"};
  out_.say(fmt::format("{} {} the {}", kPeople[person], kVerbs[out_.below(3)], kThings[thing]));
  carriers_[thing] = kNone;
}

// A thing can be taken where it is: anywhere before it was first seen.
void StoryWorld::step() {
  const std::size_t person = out_.below(kPeople.size());
  const std::size_t thing = out_.below(kThings.size());
  const bool is_near = is_known(person) && (stays_[thing].empty() ||
                                            stays_[thing].back().place == people_[person].place);
  if (carriers_[thing] == static_cast<int>(person) && out_.below(3) == 0) {
    drop(person, thing);
  } else if (carriers_[thing] == kNone && is_near) {
    take(person, thing);
  } else {
    walk(person);
  }
}

}  // namespace yona
