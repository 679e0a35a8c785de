#include "yona/data/stories/story_relations.h"

#include <fmt/format.h>

namespace yona {

namespace {

constexpr std::array<std::string_view, 4> kDirections{"north", "east", "south", "west"};

std::size_t opposite(std::size_t direction) { return (direction + 2) % kDirections.size(); }

// "The a is north of the b", or the same the other way round.
int say_direction(StoryWriter& out, std::string_view a, std::size_t direction, std::string_view b) {
  const bool is_turned = out.coin();
  return out.say(fmt::format("The {} is {} of the {}", is_turned ? b : a,
                             kDirections[is_turned ? opposite(direction) : direction],
                             is_turned ? a : b));
}

}  // namespace

// Three rooms in a row; the middle one has a neighbour on either side, so that the order of the
// words decides the answer.
void two_arguments(StoryWriter& out) {
  const auto rooms = out.different(3, kPlaces.size());
  const std::size_t direction = out.below(kDirections.size());
  const std::string_view way = kDirections[direction];
  std::array<int, 2> lines{};
  for (const std::size_t i : out.different(2, 2)) {
    lines[i] = out.say(
        fmt::format("The {} is {} of the {}", kPlaces[rooms[i]], way, kPlaces[rooms[i + 1]]));
  }
  out.ask(fmt::format("What is {} of the {}", way, kPlaces[rooms[1]]), kPlaces[rooms[0]],
          {lines[0]});
  out.ask(fmt::format("What is the {} {} of", kPlaces[rooms[1]], way), kPlaces[rooms[2]],
          {lines[1]});
}

// Three shapes on a grid, each beside the one before it; whether the last is on a side of the
// first follows from both steps.
void relative_positions(StoryWriter& out) {
  constexpr std::array<std::string_view, 4> kShapes{"red square", "blue circle", "pink rectangle",
                                                    "yellow triangle"};
  constexpr std::array<std::string_view, 4> kSides{"above", "to the right of", "below",
                                                   "to the left of"};
  constexpr std::array<std::array<int, 2>, 4> kMoves{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};
  const auto shapes = out.different(3, kShapes.size());
  std::array<int, 2> at{};
  std::array<int, 2> lines{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t side = out.below(kSides.size());
    at[0] += kMoves[side][0];
    at[1] += kMoves[side][1];
    lines[i] = out.say(fmt::format("The {} is {} the {}", kShapes[shapes[i + 1]], kSides[side],
                                   kShapes[shapes[i]]));
  }
  for (const std::size_t side : out.different(2, kSides.size())) {
    const bool is_there = at[0] * kMoves[side][0] + at[1] * kMoves[side][1] > 0;
    out.ask(
        fmt::format("Is the {} {} the {}", kShapes[shapes[2]], kSides[side], kShapes[shapes[0]]),
        is_there ? "yes" : "no", {lines[0], lines[1]});
  }
}

// Things in the order of their sizes; neighbours in that order are told of, in any order.
void relative_sizes(StoryWriter& out) {
  constexpr std::array<std::string_view, 5> kBoxes{"box", "chest", "suitcase", "basket", "crate"};
  const auto sizes = out.different(kBoxes.size(), kBoxes.size());
  std::array<int, kBoxes.size()> lines{};
  for (const std::size_t i : out.different(kBoxes.size() - 1, kBoxes.size() - 1)) {
    lines[i] =
        out.say(fmt::format("The {} fits inside the {}", kBoxes[sizes[i]], kBoxes[sizes[i + 1]]));
  }
  for (int i = 0; i < 3; ++i) {
    const std::size_t small = out.below(kBoxes.size() - 2);
    const bool fits = out.coin();
    const std::string_view first = kBoxes[sizes[fits ? small : small + 2]];
    const std::string_view second = kBoxes[sizes[fits ? small + 2 : small]];
    out.ask(fmt::format("Does the {} fit inside the {}", first, second), fits ? "yes" : "no",
            {lines[small], lines[small + 1]});
  }
}

// A row of rooms with a turn: the question is about two steps, and two more rooms lead elsewhere.
void paths(StoryWriter& out) {
  const auto rooms = out.different(5, kPlaces.size());
  const std::size_t first = out.below(kDirections.size());
  const std::size_t second = (first + (out.coin() ? 1 : 3)) % kDirections.size();
  struct Door {
    std::size_t from, direction, to;
  };
  const std::array<Door, 4> doors{{{rooms[0], first, rooms[1]},
                                   {rooms[1], second, rooms[2]},
                                   {rooms[0], opposite(first), rooms[3]},
                                   {rooms[2], second, rooms[4]}}};
  std::array<int, 4> lines{};
  for (const std::size_t i : out.different(doors.size(), doors.size())) {
    lines[i] = say_direction(out, kPlaces[doors[i].to], doors[i].direction, kPlaces[doors[i].from]);
  }
  out.ask(fmt::format("How do you go from the {} to the {}", kPlaces[rooms[0]], kPlaces[rooms[2]]),
          fmt::format("{},{}", kDirections[first], kDirections[second]), {lines[0], lines[1]});
}

}  // namespace yona
