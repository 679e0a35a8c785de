// Plain JSON as rules of a grammar (RFC 8259): what a JSON schema's types are made of. White space
// is optional and short between tokens, and digits are few, so that no text is endless.
#pragma once

#include <optional>
#include <string_view>

#include "yona/base/json.h"
#include "yona/generate/grammar.h"

namespace yona {

class JsonRules {
 public:
  explicit JsonRules(Grammar& grammar) : grammar_(grammar) {}

  // Rules, made when first asked for.
  Grammar::Rule space();      // nothing, a space, or a line feed and up to 20 spaces
  Grammar::Rule character();  // one character of a string, escapes included
  Grammar::Rule string();
  Grammar::Rule number();
  Grammar::Rule integer();
  Grammar::Rule value();  // any
  Grammar::Rule object();
  Grammar::Rule array();

  // Exactly this value, with white space. Throws InvalidArgument where it is nested too deep.
  Grammar::Node append_literal(Grammar::Node from, const Json& value, int depth = 0);
  // One character of the set, written as in a string.
  static Grammar::Node append_in_string(Grammar& grammar, Grammar::Node from,
                                        const CharacterSet& set);

 private:
  Grammar::Rule regex_rule(std::optional<Grammar::Rule>& rule, std::string_view pattern);
  // open [item {"," item}] close
  Grammar::Rule list_rule(std::string_view open, Grammar::Rule item, std::string_view close);

  Grammar& grammar_;
  std::optional<Grammar::Rule> space_, character_, string_, number_, integer_, value_, object_,
      array_;
};

// Any JSON object, as OpenAI's {"type": "json_object"} asks for.
Grammar json_object_grammar();

}  // namespace yona
