// Does a grammar have a text?
#pragma once

#include <string_view>

#include "yona/generate/grammar_machine.h"

namespace yona {

inline bool matches(GrammarMachine& machine, std::string_view text) {
  const GrammarMachine::State state = machine.step(machine.begin(), text);
  return state != GrammarMachine::kDead && machine.may_end(state);
}

inline bool matches(const Grammar& grammar, std::string_view text) {
  GrammarMachine machine(grammar);
  return matches(machine, text);
}

}  // namespace yona
