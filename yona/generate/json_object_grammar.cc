#include "yona/generate/json_object_grammar.h"

#include <algorithm>
#include <map>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

using Node = Grammar::Node;
using Rule = Grammar::Rule;

CharacterSet plain_characters() {
  return CharacterSet{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}.complement();
}

// Names as a tree of characters.
struct NameTree {
  std::map<char32_t, NameTree> next{};
  bool is_name = false;
};

// After a string's first quote: characters without escapes, up to the closing quote, that are not a
// name of the tree. `loop` is where all names have been left.
void append_other_names(Grammar& grammar, Node from, const NameTree& tree, Node loop, Node to) {
  const CharacterSet plain = plain_characters();
  std::vector<CharacterSet::Range> first;  // of the names
  for (const auto& [character, below] : tree.next) {
    first.push_back({character, character});
    if (plain.has(character)) {
      append_other_names(grammar, grammar.append_characters(from, {first.back()}), below, loop, to);
    }
  }
  const CharacterSet others = plain.without(CharacterSet(std::move(first)));
  grammar.link(grammar.append_characters(from, others), loop);
  if (!tree.is_name) {
    grammar.link(grammar.append_text(from, "\""), to);
  }
}

Rule other_name_rule(Grammar& grammar, const ObjectGrammar& object) {
  NameTree tree;
  for (const ObjectGrammar::Property& property : object.properties) {
    NameTree* at = &tree;
    for (const char32_t character : utf32_of(property.name)) {
      at = &at->next[character];
    }
    at->is_name = true;
  }
  const Rule rule = grammar.add_rule();
  const Node loop = grammar.add_node();
  grammar.link(grammar.append_characters(loop, plain_characters()), loop);
  grammar.link(grammar.append_text(loop, "\""), grammar.end(rule));
  append_other_names(grammar, grammar.append_text(grammar.start(rule), "\""), tree, loop,
                     grammar.end(rule));
  return rule;
}

// "name": value
Rule member_rule(Grammar& grammar, JsonRules& rules, const ObjectGrammar::Property& property) {
  const Rule rule = grammar.add_rule();
  Node at = grammar.append_text(grammar.start(rule), Json(property.name).dump() + ":");
  at = grammar.append_call(grammar.append_call(at, rules.space()), property.value);
  grammar.link(at, grammar.end(rule));
  return rule;
}

Rule extra_member_rule(Grammar& grammar, JsonRules& rules, const ObjectGrammar& object) {
  const Rule rule = grammar.add_rule();
  Node at = grammar.append_call(grammar.start(rule), other_name_rule(grammar, object));
  at = grammar.append_call(grammar.append_text(at, ":"), rules.space());
  grammar.link(grammar.append_call(at, *object.extra), grammar.end(rule));
  return rule;
}

Node append_comma(Grammar& grammar, JsonRules& rules, Node from) {
  return grammar.append_call(grammar.append_text(from, ","), rules.space());
}

}  // namespace

// Two tracks of nodes, one for each property: none of the properties before it has been written, or
// some; a comma comes before a property on the second.
Node append_object(Grammar& grammar, JsonRules& rules, Node from, const ObjectGrammar& object) {
  Node none = grammar.append_call(grammar.append_text(from, "{"), rules.space());
  Node some = grammar.add_node();  // not reached before the first property
  for (const ObjectGrammar::Property& property : object.properties) {
    const Rule member = member_rule(grammar, rules, property);
    const Node some_after = grammar.append_call(none, member);
    grammar.link(grammar.append_call(append_comma(grammar, rules, some), member), some_after);
    const Node none_after = grammar.add_node();
    if (!property.is_required) {
      grammar.link(none, none_after);
      grammar.link(some, some_after);
    }
    none = none_after;
    some = some_after;
  }
  if (object.extra) {
    const Rule member = extra_member_rule(grammar, rules, object);
    const Node loop = grammar.append_call(none, member);
    grammar.link(some, loop);
    grammar.link(grammar.append_call(append_comma(grammar, rules, loop), member), loop);
    some = loop;
  }
  const Node to = grammar.append_text(grammar.append_call(some, rules.space()), "}");
  grammar.link(grammar.append_text(none, "}"), to);
  return to;
}

Node append_array(Grammar& grammar, JsonRules& rules, Node from, const ArrayGrammar& array) {
  const Node open = grammar.append_call(grammar.append_text(from, "["), rules.space());
  const Node last = grammar.add_node();  // after an item that may be the last
  const auto rule_of = [&](std::int64_t item) -> std::optional<Rule> {
    const auto i = static_cast<std::size_t>(item);
    return i < array.first.size() ? std::optional<Rule>(array.first[i]) : array.items;
  };
  const auto first_count = static_cast<std::int64_t>(array.first.size());
  const std::int64_t counted =
      array.most.value_or(std::max({array.least, first_count, std::int64_t{1}}));
  Node at = open;
  for (std::int64_t i = 0; i < counted && rule_of(i); ++i) {
    at = grammar.append_call(i == 0 ? open : append_comma(grammar, rules, at), *rule_of(i));
    if (i + 1 >= array.least) {
      grammar.link(at, last);
    }
    if (i + 1 == counted && !array.most && array.items) {
      grammar.link(grammar.append_call(append_comma(grammar, rules, at), *array.items), at);
    }
  }
  const Node to = grammar.append_text(grammar.append_call(last, rules.space()), "]");
  if (array.least == 0) {
    grammar.link(grammar.append_text(open, "]"), to);
  }
  return to;
}

}  // namespace yona
