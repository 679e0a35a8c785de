#include "yona/generate/grammar_machine.h"

#include <algorithm>
#include <bitset>
#include <set>

#include "yona/base/error.h"

namespace yona {

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

GrammarMachine::Stack GrammarMachine::push(Stack below, Grammar::Node return_to) {
  const auto [found, is_new] = frame_ids_.try_emplace({below, return_to}, -1);
  if (is_new) {
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
  std::pair<std::vector<Place>, bool> key{{}, false};
  std::set<Place> seen(open.begin(), open.end());
  const auto visit = [&](Place place) {
    if (place.second >= 0 && seen.insert(place).second) {
      open.push_back(place);
    }
  };
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    const Grammar::NodeEdges& edges = grammar_.edges(place.first);
    if (!edges.bytes.empty()) {
      key.first.push_back(place);
    }
    if (edges.is_end && place.second == 0) {
      key.second = true;
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
  if (key.first.empty() && !key.second) {
    return kDead;
  }
  std::sort(key.first.begin(), key.first.end());
  const auto [found, is_new] = state_ids_.try_emplace(key, static_cast<State>(states_.size()));
  if (is_new) {
    places_ += key.first.size();
    check(states_.size() < kMostStates && places_ < kMostPlaces && frames_.size() < kMostPlaces,
          "constrained text: it needs too many states; use a simpler description");
    states_.push_back(
        {key.first, key.second, std::vector<State>(example_of_class_.size(), kUnknown)});
  }
  return found->second;
}

GrammarMachine::State GrammarMachine::find_step(State state, std::size_t symbol) {
  const std::uint8_t byte = example_of_class_[symbol];
  std::vector<Place> reached;
  for (const auto& [node, stack] : states_[index(state)].places) {
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

std::size_t GrammarMachine::PlacesHash::operator()(
    const std::pair<std::vector<Place>, bool>& key) const {
  std::uint64_t hash = key.second ? 1 : 0;
  for (const auto& [node, stack] : key.first) {
    hash = (hash ^ static_cast<std::uint64_t>(node)) * 0x9E3779B97F4A7C15U;
    hash = (hash ^ (hash >> 29U) ^ static_cast<std::uint64_t>(stack)) * 0xBF58476D1CE4E5B9U;
  }
  return hash ^ (hash >> 32U);
}

}  // namespace yona
