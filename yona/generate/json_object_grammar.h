// The parts of JSON objects and arrays that a schema describes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yona/generate/json_grammar.h"

namespace yona {

struct ObjectGrammar {
  struct Property {
    std::string name;
    Grammar::Rule value;
    bool is_required;
  };
  std::vector<Property> properties{};    // in the order in which they are written
  std::optional<Grammar::Rule> extra{};  // the value of any other property, after those
};

struct ArrayGrammar {
  std::vector<Grammar::Rule> first{};    // the values of the first items
  std::optional<Grammar::Rule> items{};  // of those after them; empty: there are none
  std::int64_t least = 0;
  std::optional<std::int64_t> most{};
};

Grammar::Node append_object(Grammar& grammar, JsonRules& rules, Grammar::Node from,
                            const ObjectGrammar& object);
Grammar::Node append_array(Grammar& grammar, JsonRules& rules, Grammar::Node from,
                           const ArrayGrammar& array);

}  // namespace yona
