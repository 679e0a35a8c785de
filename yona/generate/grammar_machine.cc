#include "yona/generate/grammar_machine.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

std::uint64_t hash_of(const std::vector<std::pair<std::int32_t, std::int32_t>>& places,
                      bool may_end) {
  std::uint64_t hash = may_end ? 1 : 0;
  for (const auto& [node, stack] : places) {
    hash = (hash ^ static_cast<std::uint64_t>(node)) * 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 29U) ^ static_cast<std::uint64_t>(stack)) * 0xBF58476D1CE4E5B9U;
  }
  return hash ^ (hash >> 32U);
}

}  // namespace

GrammarMachine::GrammarMachine(Grammar grammar) : grammar_(std::move(grammar)) {
  find_byte_classes();
  frames_.push_back({-1, -1, 0});
  begin_ = intern({{grammar_.start(grammar_.root()), 0}});
}

void GrammarMachine::find_byte_classes() {
  std::bitset<257> begins;  // a new class begins at this byte
  begins[0] = true;
  for (std::size_t node = 0; node < grammar_.size(); ++node) {
    for (const Grammar::ByteEdge& edge : grammar_.edges(static_cast<Grammar::Node>(node)).bytes) {
      begins[edge.first] = true;
      begins[edge.last + 1U] = true;
    }
  }
  for (std::size_t byte = 0; byte < class_of_.size(); ++byte) {
    if (begins[byte]) {
      example_of_class_.push_back(static_cast<std::uint8_t>(byte));
    }
    class_of_[byte] = static_cast<std::uint8_t>(example_of_class_.size() - 1);
  }
}

void GrammarMachine::look(std::size_t count) {
  looks_ += count;
  check(looks_ <= kMostLooks,
        "constrained text: it takes too many steps to find what may come next; use a simpler "
        "description");
}

void GrammarMachine::take(std::size_t bytes) {
  bytes_ += bytes;
  check(bytes_ <= kMostBytes,
        "constrained text: it needs too many states; use a simpler description");
}

GrammarMachine::Stack GrammarMachine::push(Stack below, Grammar::Node return_to) {
  const auto [found, is_new] = frame_ids_.try_emplace({below, return_to}, -1);
  if (is_new) {
    constexpr std::size_t kMapNode = 64;
    take(sizeof(Frame) + kMapNode);
    const std::int32_t depth = frames_[index(below)].depth + 1;
    if (depth <= kMostDepth) {
      found->second = static_cast<Stack>(frames_.size());
      frames_.push_back({return_to, below, depth});
    }
  }
  return found->second;
}

// Follows what takes no bytes: empty edges, calls and returns.
GrammarMachine::State GrammarMachine::intern(std::vector<Place> open) {
  std::vector<Place> places;
  bool may_end = false;
  visited_.clear();
  std::erase_if(open, [&](Place place) { return !visited_.insert(place.first, place.second); });
  const auto visit = [&](Place place) {
    if (place.second >= 0 && visited_.insert(place.first, place.second)) {
      open.push_back(place);
    }
  };
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    const Grammar::NodeEdges& edges = grammar_.edges(place.first);
    look(1 + edges.empty.size() + edges.calls.size());
    if (!edges.bytes.empty()) {
      places.push_back(place);
    }
    if (edges.is_end && place.second == 0) {
      may_end = true;
    } else if (edges.is_end) {
      visit({frames_[index(place.second)].return_to, frames_[index(place.second)].below});
    }
    for (const Grammar::Node to : edges.empty) {
      visit({to, place.second});
    }
    for (const Grammar::Call& call : edges.calls) {
      // A call whose return would only return again keeps the stack as it is.
      const Grammar::NodeEdges& after = grammar_.edges(call.to);
      const bool is_last = after.bytes.empty() && after.calls.empty() && after.empty.size() == 1 &&
                           grammar_.edges(after.empty[0]).is_end;
      visit({grammar_.start(call.rule), is_last ? place.second : push(place.second, call.to)});
    }
  }
  return places.empty() && !may_end ? kDead : state_of(std::move(places), may_end);
}

GrammarMachine::State GrammarMachine::state_of(std::vector<Place> places, bool may_end) {
  std::sort(places.begin(), places.end());
  const std::uint64_t hash = hash_of(places, may_end);
  for (auto [it, end] = state_ids_.equal_range(hash); it != end; ++it) {
    const StateEntry& entry = states_[index(it->second)];
    if (entry.may_end == may_end && entry.places == places) {
      return it->second;
    }
  }
  constexpr std::size_t kMapNode = 48;
  take(sizeof(StateEntry) + kMapNode + places.size() * sizeof(Place) +
       example_of_class_.size() * sizeof(State));
  const auto state = static_cast<State>(states_.size());
  std::vector<State> next = first_steps(places);
  places.shrink_to_fit();
  states_.push_back({std::move(places), may_end, std::move(next)});
  state_ids_.emplace(hash, state);
  return state;
}

// Most places have few bytes that continue them: the others are not looked for one by one.
std::vector<GrammarMachine::State> GrammarMachine::first_steps(const std::vector<Place>& places) {
  std::vector<State> next(example_of_class_.size(), kDead);
  for (const auto& [node, stack] : places) {
    look(1 + grammar_.edges(node).bytes.size());
    for (const Grammar::ByteEdge& edge : grammar_.edges(node).bytes) {
      std::fill(next.begin() + class_of_[edge.first], next.begin() + class_of_[edge.last] + 1,
                kUnknown);
    }
  }
  return next;
}

GrammarMachine::State GrammarMachine::find_step(State state, std::size_t symbol) {
  const std::uint8_t byte = example_of_class_[symbol];
  std::vector<Place> reached;
  for (const auto& [node, stack] : states_[index(state)].places) {
    look(1 + grammar_.edges(node).bytes.size());
    for (const Grammar::ByteEdge& edge : grammar_.edges(node).bytes) {
      if (edge.first <= byte && byte <= edge.last) {
        reached.emplace_back(edge.to, stack);
      }
    }
  }
  const State next = intern(std::move(reached));
  states_[index(state)].next[symbol] = next;
  return next;
}

GrammarMachine::State GrammarMachine::step(State state, std::string_view bytes) {
  for (const char c : bytes) {
    if (state == kDead) {
      break;
    }
    state = step(state, static_cast<std::uint8_t>(c));
  }
  return state;
}

}  // namespace yona
