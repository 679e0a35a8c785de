#include "yona/generate/json_grammar.h"

#include <array>

#include "yona/base/error.h"
#include "yona/generate/regex.h"

namespace yona {

namespace {

constexpr std::string_view kSpace = "(?: |\n {0,20})?";
constexpr std::string_view kCharacter =
    R"([^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})"
    R"(|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))";
constexpr std::string_view kInteger = "-?(?:0|[1-9][0-9]{0,15})";
constexpr std::string_view kNumber =
    R"(-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,16})?(?:[eE][+-]?[0-9]{1,2})?)";

}  // namespace

Grammar::Rule JsonRules::regex_rule(std::optional<Grammar::Rule>& rule, std::string_view pattern) {
  if (!rule) {
    rule = grammar_.add_rule();
    grammar_.link(append_regex(grammar_, grammar_.start(*rule), pattern), grammar_.end(*rule));
  }
  return *rule;
}

Grammar::Rule JsonRules::space() { return regex_rule(space_, kSpace); }
Grammar::Rule JsonRules::character() { return regex_rule(character_, kCharacter); }
Grammar::Rule JsonRules::number() { return regex_rule(number_, kNumber); }
Grammar::Rule JsonRules::integer() { return regex_rule(integer_, kInteger); }

Grammar::Rule JsonRules::string() {
  if (!string_) {
    string_ = grammar_.add_rule();
    const Grammar::Node open = grammar_.append_text(grammar_.start(*string_), "\"");
    grammar_.link(grammar_.append_call(open, character()), open);
    grammar_.link(grammar_.append_text(open, "\""), grammar_.end(*string_));
  }
  return *string_;
}

Grammar::Rule JsonRules::list_rule(std::string_view open, Grammar::Rule item,
                                   std::string_view close) {
  const Grammar::Rule rule = grammar_.add_rule();
  const Grammar::Node first =
      grammar_.append_call(grammar_.append_text(grammar_.start(rule), open), space());
  const Grammar::Node after_item = grammar_.append_call(first, item);
  const Grammar::Node next = grammar_.append_call(grammar_.append_text(after_item, ","), space());
  grammar_.link(grammar_.append_call(next, item), after_item);
  const Grammar::Node last = grammar_.append_call(after_item, space());
  grammar_.link(grammar_.append_text(last, close), grammar_.end(rule));
  grammar_.link(grammar_.append_text(first, close), grammar_.end(rule));
  return rule;
}

Grammar::Rule JsonRules::object() {
  if (!object_) {
    const Grammar::Rule member = grammar_.add_rule();
    Grammar::Node at = grammar_.append_call(grammar_.start(member), string());
    at = grammar_.append_call(grammar_.append_text(at, ":"), space());
    object_ = list_rule("{", member, "}");  // before value(), which refers to it
    grammar_.link(grammar_.append_call(at, value()), grammar_.end(member));
  }
  return *object_;
}

Grammar::Rule JsonRules::array() {
  if (!array_) {
    const Grammar::Rule item = grammar_.add_rule();
    array_ = list_rule("[", item, "]");
    grammar_.link(grammar_.append_call(grammar_.start(item), value()), grammar_.end(item));
  }
  return *array_;
}

Grammar::Rule JsonRules::value() {
  if (!value_) {
    value_ = grammar_.add_rule();
    const Grammar::Node start = grammar_.start(*value_);
    for (const Grammar::Rule kind : {object(), array(), string(), number()}) {
      grammar_.link(grammar_.append_call(start, kind), grammar_.end(*value_));
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      grammar_.link(grammar_.append_text(start, word), grammar_.end(*value_));
    }
  }
  return *value_;
}

Grammar::Node JsonRules::append_literal(Grammar::Node from, const Json& value, int depth) {
  constexpr int kMostDepth = 128;
  check(depth <= kMostDepth, "json schema: a value is nested deeper than {}", kMostDepth);
  if (!value.is_structured()) {
    return grammar_.append_text(from, value.dump());
  }
  from = grammar_.append_text(from, value.is_object() ? "{" : "[");
  bool is_first = true;
  for (const auto& item : value.items()) {
    if (!is_first) {
      from = grammar_.append_text(from, ",");
    }
    is_first = false;
    from = grammar_.append_call(from, space());
    if (value.is_object()) {
      from = grammar_.append_text(from, Json(item.key()).dump() + ":");
      from = grammar_.append_call(from, space());
    }
    from = append_literal(from, item.value(), depth + 1);
  }
  from = grammar_.append_call(from, space());
  return grammar_.append_text(from, value.is_object() ? "}" : "]");
}

Grammar::Node JsonRules::append_in_string(Grammar& grammar, Grammar::Node from,
                                          const CharacterSet& set) {
  const CharacterSet escaped{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}};
  const Grammar::Node to = grammar.append_characters(from, set.without(escaped));
  const CharacterSet members = set.in_common_with(escaped);
  for (const CharacterSet::Range& range : members.ranges()) {
    for (std::uint32_t c = range.first; c <= range.last; ++c) {
      const std::string quoted = Json(std::string(1, static_cast<char>(c))).dump();
      const std::string_view text(quoted.data() + 1, quoted.size() - 2);
      grammar.link(grammar.append_text(from, text), to);
    }
  }
  return to;
}

Grammar json_object_grammar() {
  Grammar grammar;
  JsonRules rules(grammar);
  const Grammar::Node last = grammar.append_call(grammar.start(grammar.root()), rules.object());
  grammar.link(last, grammar.end(grammar.root()));
  grammar.finish("json_object");
  return grammar;
}

}  // namespace yona
