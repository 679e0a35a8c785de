// Where a text is within a grammar. Sets of places are made into the states of a deterministic
// automaton when they are first met, so that the next visit costs one look-up per byte. A place is
// a node and the stack of nodes to return to; stacks share their tails.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "yona/generate/grammar.h"
#include "yona/generate/visited_places.h"

namespace yona {

class GrammarMachine {
 public:
  using State = std::int32_t;
  static constexpr State kDead = -1;
  // Calls within calls; deeper text is not matched.
  static constexpr std::int32_t kMostDepth = 256;
  // Limits of the memory for states and stacks, and of the nodes and edges visited to find them, so
  // that one text cannot block others.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
  static constexpr std::size_t kMostLooks = 16'000'000;

  explicit GrammarMachine(Grammar grammar);

  State begin() const { return begin_; }
  // kDead: no text of the grammar continues so. Throws InvalidArgument when that needs too many
  // states.
  State step(State state, std::uint8_t byte) {
    const std::size_t symbol = class_of_[byte];
    const State next = states_[index(state)].next[symbol];
    return next != kUnknown ? next : find_step(state, symbol);
  }
  State step(State state, std::string_view bytes);
  // Is the text so far complete?
  bool may_end(State state) const { return states_[index(state)].may_end; }

 private:
  static constexpr State kUnknown = -2;
  using Stack = std::int32_t;
  using Place = std::pair<Grammar::Node, Stack>;

  struct Frame {
    Grammar::Node return_to;
    Stack below;
    std::int32_t depth;
  };
  struct StateEntry {
    std::vector<Place> places;  // with byte edges, ascending
    bool may_end = false;
    std::vector<State> next;  // of each class of bytes
  };

  static std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }
  void find_byte_classes();
  void look(std::size_t count);
  void take(std::size_t bytes);
  // -1: too deep.
  Stack push(Stack below, Grammar::Node return_to);
  // The state of these places and of all that follow from them without a byte.
  State intern(std::vector<Place> places);
  State state_of(std::vector<Place> places, bool may_end);
  // The steps of a new state: kUnknown or kDead for each class of bytes.
  std::vector<State> first_steps(const std::vector<Place>& places);
  State find_step(State state, std::size_t symbol);

  Grammar grammar_;
  std::array<std::uint8_t, 256> class_of_{};    // bytes that no edge tells apart
  std::vector<std::uint8_t> example_of_class_;  // a byte of each
  std::vector<Frame> frames_;                   // 0: the empty stack
  std::map<std::pair<Stack, Grammar::Node>, Stack> frame_ids_;
  std::vector<StateEntry> states_;
  std::unordered_multimap<std::uint64_t, State> state_ids_;  // by a hash of places and may_end
  VisitedPlaces visited_;
  std::size_t bytes_ = 0, looks_ = 0;
  State begin_;
};

}  // namespace yona
