// Each task is a function that writes one story with its questions.

#include "yona/data/stories/story_tasks.h"

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/data/stories/story_relations.h"
#include "yona/data/stories/story_world.h"

namespace yona {

namespace {

using Writer = StoryWriter;

// Someone whose place is known.
std::size_t known_person(const StoryWorld& world, Writer& out) {
  std::size_t person = out.below(kPeople.size());
  while (!world.is_known(person)) {
    person = out.below(kPeople.size());
  }
  return person;
}

std::string where_is(std::size_t person) { return fmt::format("Where is {}", kPeople[person]); }

// --- where people and things are ------------------------------------------------------------

void single_fact(Writer& out) {
  StoryWorld world(out);
  for (int i = 0; i < 5; ++i) {
    world.walk(out.below(kPeople.size()));
    world.walk(out.below(kPeople.size()));
    const std::size_t person = known_person(world, out);
    out.ask(where_is(person), world.place_of(person), {world.person(person).moved});
  }
}

// Steps until something has been at `places` places; gives the thing.
std::size_t carried_about(StoryWorld& world, Writer& out, std::size_t places) {
  for (;;) {
    world.step();
    const std::size_t thing = out.below(kThings.size());
    if (world.stays(thing).size() >= places) {
      return thing;
    }
  }
}

void two_facts(Writer& out) {
  StoryWorld world(out);
  const std::size_t thing = carried_about(world, out, 2);
  const StoryWorld::Stay& stay = world.stays(thing).back();
  out.ask(fmt::format("Where is the {}", kThings[thing]),
          kPlaces[static_cast<std::size_t>(stay.place)], {stay.taken, stay.moved});
}

void three_facts(Writer& out) {
  StoryWorld world(out);
  const std::size_t thing = carried_about(world, out, 3);
  const auto& stays = world.stays(thing);
  const StoryWorld::Stay& now = stays.back();
  const StoryWorld::Stay& before = stays[stays.size() - 2];
  out.ask(fmt::format("Where was the {} before the {}", kThings[thing],
                      kPlaces[static_cast<std::size_t>(now.place)]),
          kPlaces[static_cast<std::size_t>(before.place)],
          {before.taken, before.moved, now.taken, now.moved});
}

// A gives something to B.
void three_arguments(Writer& out) {
  const auto people = out.different(2, kPeople.size());
  const std::string_view giver = kPeople[people[0]];
  const std::string_view taker = kPeople[people[1]];
  const std::string_view thing = kThings[out.below(kThings.size())];
  StoryWorld world(out);
  world.walk(people[0]);
  world.walk(people[1]);
  const int fact = out.say(fmt::format("{} gave the {} to {}", giver, thing, taker));
  world.walk(out.below(kPeople.size()));
  out.ask(fmt::format("What did {} give to {}", giver, taker), thing, {fact});
  out.ask(fmt::format("Who gave the {} to {}", thing, taker), giver, {fact});
  out.ask(fmt::format("Who received the {}", thing), taker, {fact});
}

void yes_or_no(Writer& out) {
  StoryWorld world(out);
  for (int i = 0; i < 5; ++i) {
    world.walk(out.below(kPeople.size()));
    world.walk(out.below(kPeople.size()));
    const std::size_t person = known_person(world, out);
    const bool is_there = out.coin();
    const std::string_view place =
        is_there ? world.place_of(person) : kPlaces[world.other_place(person)];
    out.ask(fmt::format("Is {} in the {}", kPeople[person], place), is_there ? "yes" : "no",
            {world.person(person).moved});
  }
}

// A story of steps, and a question about what somebody carries.
template <class Answer>
void carrying(Writer& out, std::string_view asked, const Answer& answer) {
  StoryWorld world(out);
  for (int i = 0; i < 5; ++i) {
    for (int steps = 0; steps < 3; ++steps) {
      world.step();
    }
    const std::size_t person = known_person(world, out);
    std::vector<int> facts;
    for (const std::size_t thing : world.carried_by(person)) {
      facts.push_back(world.taken(thing));
    }
    out.ask(fmt::format("{} is {} carrying", asked, kPeople[person]),
            answer(world.carried_by(person)), facts);
  }
}

void counting(Writer& out) {
  constexpr std::array<std::string_view, 4> kNumbers{"none", "one", "two", "three"};
  carrying(out, "How many objects",
           [&](const std::vector<std::size_t>& things) { return kNumbers[things.size()]; });
}

void lists(Writer& out) {
  carrying(out, "What", [](const std::vector<std::size_t>& things) {
    std::vector<std::string_view> names;
    names.reserve(things.size());
    for (const std::size_t thing : things) {
      names.push_back(kThings[thing]);
    }
    return names.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(names, ","));
  });
}

// --- what is not, or perhaps, the case ------------------------------------------------------

void negation(Writer& out) {
  for (int i = 0; i < 4; ++i) {
    const auto people = out.different(2, kPeople.size());
    const auto places = out.different(2, kPlaces.size());
    const bool is_there = out.coin();
    const int fact = out.say(fmt::format("{} is {} the {}", kPeople[people[0]],
                                         is_there ? "in" : "not in", kPlaces[places[0]]));
    out.say(fmt::format("{} {} the {}", kPeople[people[1]], walking_verb(out), kPlaces[places[1]]));
    out.ask(fmt::format("Is {} in the {}", kPeople[people[0]], kPlaces[places[0]]),
            is_there ? "yes" : "no", {fact});
  }
}

void perhaps(Writer& out) {
  for (int i = 0; i < 4; ++i) {
    const auto people = out.different(2, kPeople.size());
    const auto places = out.different(3, kPlaces.size());
    const int fact = out.say(fmt::format("{} is either in the {} or the {}", kPeople[people[0]],
                                         kPlaces[places[0]], kPlaces[places[1]]));
    const int other =
        out.say(fmt::format("{} is in the {}", kPeople[people[1]], kPlaces[places[0]]));
    switch (out.below(3)) {
      case 0:
        out.ask(fmt::format("Is {} in the {}", kPeople[people[0]], kPlaces[places[out.below(2)]]),
                "maybe", {fact});
        break;
      case 1:
        out.ask(fmt::format("Is {} in the {}", kPeople[people[0]], kPlaces[places[2]]), "no",
                {fact});
        break;
      default:
        out.ask(fmt::format("Is {} in the {}", kPeople[people[1]], kPlaces[places[0]]), "yes",
                {other});
    }
  }
}

// --- several names for one person -----------------------------------------------------------

std::string_view pronoun(std::size_t person) {
  return kPeople[person] == "Mary" || kPeople[person] == "Sandra" ? "she" : "he";
}

void coreference(Writer& out) {
  StoryWorld world(out);
  for (int i = 0; i < 4; ++i) {
    const std::size_t person = out.below(kPeople.size());
    world.walk(person);
    const int first = world.person(person).moved;
    const std::size_t place = world.other_place(person);
    world.put(person, place,
              out.say(fmt::format("Then {} {} the {}", pronoun(person), walking_verb(out),
                                  kPlaces[place])));
    out.ask(where_is(person), kPlaces[place], {first, world.person(person).moved});
  }
}

// Two people go somewhere, and perhaps "they" go on.
void together(Writer& out, bool goes_on) {
  StoryWorld world(out);
  for (int i = 0; i < 4; ++i) {
    const auto pair = out.different(2, kPeople.size());
    int first = 0;
    for (int walks = 0; walks < (goes_on ? 2 : 1); ++walks) {
      const std::size_t place = world.other_place(pair[0]);
      const std::string who = walks == 0
                                  ? fmt::format("{} and {}", kPeople[pair[0]], kPeople[pair[1]])
                                  : std::string("Then they");
      const int line = out.say(fmt::format("{} {} the {}", who, walking_verb(out), kPlaces[place]));
      first = walks == 0 ? line : first;
      world.put(pair[0], place, line);
      world.put(pair[1], place, line);
    }
    const std::size_t person = pair[out.below(2)];
    out.ask(where_is(person), world.place_of(person), {first, world.person(person).moved});
  }
}

void conjunction(Writer& out) { together(out, false); }
void compound_coreference(Writer& out) { together(out, true); }

// The sentences are not in the order of the times that they tell of.
void times(Writer& out) {
  constexpr std::array<std::string_view, 4> kTimes{"Yesterday", "This morning", "This afternoon",
                                                   "This evening"};
  const std::size_t person = out.below(kPeople.size());
  const auto places = out.different(kTimes.size(), kPlaces.size());
  std::array<int, kTimes.size()> lines{};
  for (const std::size_t time : out.different(kTimes.size(), kTimes.size())) {
    lines[time] = out.say(fmt::format("{} {} {} the {}", kTimes[time], kPeople[person],
                                      walking_verb(out), kPlaces[places[time]]));
  }
  for (const std::size_t time : out.different(2, kTimes.size() - 1)) {
    out.ask(fmt::format("Where was {} before the {}", kPeople[person], kPlaces[places[time + 1]]),
            kPlaces[places[time]], {lines[time], lines[time + 1]});
  }
}

// --- conclusions ----------------------------------------------------------------------------

constexpr std::array<std::string_view, 4> kPets{"Gertrude", "Winona", "Jessica", "Emily"};

void deduction(Writer& out) {
  constexpr std::array<std::string_view, 4> kKinds{"mouse", "sheep", "wolf", "cat"};
  constexpr std::array<std::string_view, 4> kMany{"Mice", "Sheep", "Wolves", "Cats"};
  std::array<std::size_t, kKinds.size()> feared{};
  std::array<int, kKinds.size()> rules{};
  for (const std::size_t kind : out.different(kKinds.size(), kKinds.size())) {
    feared[kind] = (kind + 1 + out.below(kKinds.size() - 1)) % kKinds.size();
    rules[kind] =
        out.say(fmt::format("{} are afraid of the {}", kMany[kind], kKinds[feared[kind]]));
  }
  const auto kinds = out.different(kPets.size(), kKinds.size());
  std::array<int, kPets.size()> lines{};
  for (std::size_t pet = 0; pet < kPets.size(); ++pet) {
    lines[pet] = out.say(fmt::format("{} is a {}", kPets[pet], kKinds[kinds[pet]]));
  }
  for (const std::size_t pet : out.different(2, kPets.size())) {
    out.ask(fmt::format("What is {} afraid of", kPets[pet]), kKinds[feared[kinds[pet]]],
            {lines[pet], rules[kinds[pet]]});
  }
}

void induction(Writer& out) {
  constexpr std::array<std::string_view, 4> kKinds{"swan", "frog", "lion", "rhino"};
  constexpr std::array<std::string_view, 4> kColours{"white", "green", "yellow", "grey"};
  const auto kinds = out.different(3, kKinds.size());
  const auto colours = out.different(3, kColours.size());
  std::array<int, 3> is_a{};
  std::array<int, 3> has_colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    is_a[i] = out.say(fmt::format("{} is a {}", kPets[i], kKinds[kinds[i]]));
    has_colour[i] = out.say(fmt::format("{} is {}", kPets[i], kColours[colours[i]]));
  }
  const std::size_t like = out.below(3);
  const int fact = out.say(fmt::format("{} is a {}", kPets[3], kKinds[kinds[like]]));
  out.ask(fmt::format("What colour is {}", kPets[3]), kColours[colours[like]],
          {fact, is_a[like], has_colour[like]});
}

void motives(Writer& out) {
  struct Motive {
    std::string_view feeling, place;
  };
  constexpr std::array<Motive, 4> kMotives{
      {{"hungry", "kitchen"}, {"tired", "bedroom"}, {"bored", "garden"}, {"dirty", "bathroom"}}};
  for (const std::size_t person : out.different(2, kPeople.size())) {
    const Motive& motive = kMotives[out.below(kMotives.size())];
    const int fact = out.say(fmt::format("{} is {}", kPeople[person], motive.feeling));
    out.ask(fmt::format("Where will {} go", kPeople[person]), motive.place, {fact});
    const int walk =
        out.say(fmt::format("{} {} the {}", kPeople[person], walking_verb(out), motive.place));
    out.ask(fmt::format("Why did {} go to the {}", kPeople[person], motive.place), motive.feeling,
            {fact, walk});
  }
}

struct StoryTask {
  std::string_view name;
  void (*write)(Writer& out);
};

constexpr std::array<StoryTask, 20> kStoryTasks{{{"single-fact", single_fact},
                                                 {"two-facts", two_facts},
                                                 {"three-facts", three_facts},
                                                 {"two-arguments", two_arguments},
                                                 {"three-arguments", three_arguments},
                                                 {"yes-no", yes_or_no},
                                                 {"counting", counting},
                                                 {"lists", lists},
                                                 {"negation", negation},
                                                 {"perhaps", perhaps},
                                                 {"coreference", coreference},
                                                 {"conjunction", conjunction},
                                                 {"compound-coreference", compound_coreference},
                                                 {"time", times},
                                                 {"deduction", deduction},
                                                 {"induction", induction},
                                                 {"positions", relative_positions},
                                                 {"sizes", relative_sizes},
                                                 {"paths", paths},
                                                 {"motives", motives}}};

}  // namespace

std::vector<std::string> story_task_names() {
  std::vector<std::string> names;
  names.reserve(kStoryTasks.size());
  for (const StoryTask& task : kStoryTasks) {
    names.emplace_back(task.name);
  }
  return names;
}

std::string make_stories(std::string_view task, std::int64_t questions, std::uint64_t seed) {
  for (const StoryTask& entry : kStoryTasks) {
    if (entry.name == task) {
      Writer out(mix(seed, hash_name(task)));
      while (out.questions() < questions) {
        out.begin_story();
        entry.write(out);
      }
      return out.text();
    }
  }
  fail("data.tasks: '{}' is not a task of the generator; use {}", task,
       fmt::join(story_task_names(), ", "));
}

}  // namespace yona
