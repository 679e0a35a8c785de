#include "yona/generate/json_schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/generate/json_object_grammar.h"
#include "yona/generate/number_range.h"
#include "yona/generate/regex.h"

namespace yona {

namespace {

using Node = Grammar::Node;
using Rule = Grammar::Rule;

const std::set<std::string>& ignored_keywords() {
  static const std::set<std::string> names{
      "title",      "description", "default",          "examples",       "$schema",
      "$id",        "$comment",    "$anchor",          "$defs",          "definitions",
      "deprecated", "readOnly",    "writeOnly",        "format",         "contentEncoding",
      "id",         "strict",      "contentMediaType", "x-enum-varnames"};
  return names;
}

const std::set<std::string>& understood_keywords() {
  static const std::set<std::string> names{"type",
                                           "enum",
                                           "const",
                                           "anyOf",
                                           "oneOf",
                                           "allOf",
                                           "$ref",
                                           "properties",
                                           "required",
                                           "items",
                                           "pattern",
                                           "minLength",
                                           "maxLength",
                                           "prefixItems",
                                           "minItems",
                                           "maxItems",
                                           "minimum",
                                           "maximum",
                                           "exclusiveMinimum",
                                           "exclusiveMaximum",
                                           "additionalProperties"};
  return names;
}

// The type that a keyword is about.
std::string type_of_keyword(const std::string& keyword) {
  static const std::map<std::string, std::string> types{{"properties", "object"},
                                                        {"required", "object"},
                                                        {"additionalProperties", "object"},
                                                        {"items", "array"},
                                                        {"prefixItems", "array"},
                                                        {"minItems", "array"},
                                                        {"maxItems", "array"},
                                                        {"pattern", "string"},
                                                        {"minLength", "string"},
                                                        {"maxLength", "string"},
                                                        {"minimum", "number"},
                                                        {"maximum", "number"},
                                                        {"exclusiveMinimum", "number"},
                                                        {"exclusiveMaximum", "number"}};
  const auto found = types.find(keyword);
  return found == types.end() ? "" : found->second;
}

class SchemaCompiler {
 public:
  SchemaCompiler(Grammar& grammar, const Json& document)
      : grammar_(grammar), rules_(grammar), document_(document) {}

  // The rule of a schema; of one that is referred to, the same each time.
  Rule rule_of(const Json& schema, const std::string& at) {
    const Rule rule = grammar_.add_rule();
    fill(rule, schema, at);
    return rule;
  }

  Rule rule_at(const std::string& pointer, const std::string& from) {
    if (const auto found = referred_.find(pointer); found != referred_.end()) {
      return found->second;
    }
    const Json* schema = nullptr;
    try {
      schema = &document_.at(Json::json_pointer(pointer.substr(1)));
    } catch (const Json::exception&) {
      fail("json schema: \"$ref\" at {}: '{}' is not there", from, pointer);
    }
    const Rule rule = grammar_.add_rule();
    referred_.emplace(pointer, rule);  // before it is filled: it may refer to itself
    fill(rule, *schema, pointer);
    return rule;
  }

 private:
  static constexpr int kMostDepth = 128;

  void fill(Rule rule, const Json& schema, const std::string& at) {
    check(++depth_ <= kMostDepth, "json schema: it is nested deeper than {}", kMostDepth);
    append(rule, schema, at);
    --depth_;
  }

  void append(Rule rule, const Json& schema, const std::string& at) {
    if (schema.is_boolean()) {
      if (schema.get<bool>()) {
        call(rule, rules_.value());
      }
      return;
    }
    check(schema.is_object(), "json schema: {} is {}; an object or a boolean is expected", at,
          schema.type_name());
    refuse_unknown(schema, at);
    if (schema.contains("$ref")) {
      append_reference(rule, schema, at);
    } else if (schema.contains("const") || schema.contains("enum")) {
      append_values(rule, schema, at);
    } else if (schema.contains("anyOf") || schema.contains("oneOf") || schema.contains("allOf")) {
      append_alternatives(rule, schema, at);
    } else {
      append_types(rule, schema, at);
    }
  }

  static void refuse_unknown(const Json& schema, const std::string& at) {
    for (const auto& item : schema.items()) {
      const bool asks_nothing = item.key() == "uniqueItems" && item.value() == false;
      check(asks_nothing || understood_keywords().count(item.key()) != 0 ||
                ignored_keywords().count(item.key()) != 0,
            "json schema: \"{}\" at {} is not supported", item.key(), at);
    }
  }

  // A keyword whose meaning would have to be combined with others may only have annotations beside.
  static void refuse_beside(const std::string& keyword, const Json& schema, const std::string& at) {
    for (const auto& item : schema.items()) {
      check(item.key() == keyword || item.key() == "type" ||
                ignored_keywords().count(item.key()) != 0,
            "json schema: \"{}\" beside \"{}\" at {} is not supported", item.key(), keyword, at);
    }
  }

  void append_reference(Rule rule, const Json& schema, const std::string& at) {
    refuse_beside("$ref", schema, at);
    check(schema["$ref"].is_string(), "json schema: \"$ref\" at {} is not a text", at);
    const std::string target = schema["$ref"].get<std::string>();
    check(target == "#" || target.starts_with("#/"),
          "json schema: \"$ref\" at {}: '{}' is outside of the schema, which is not supported", at,
          target);
    call(rule, rule_at(target, at));
  }

  void append_values(Rule rule, const Json& schema, const std::string& at) {
    const std::string keyword = schema.contains("const") ? "const" : "enum";
    refuse_beside(keyword, schema, at);
    const Json values = keyword == "const" ? Json::array({schema["const"]}) : schema["enum"];
    check(values.is_array() && !values.empty(),
          "json schema: \"enum\" at {}: a list of at least one value is expected", at);
    const std::vector<std::string> types = types_of(schema, at);
    for (const Json& value : values) {
      const auto fits = [&](const std::string& type) { return is_of_type(value, type); };
      if (types.empty() || std::any_of(types.begin(), types.end(), fits)) {
        grammar_.link(rules_.append_literal(grammar_.start(rule), value), grammar_.end(rule));
      }
    }
  }

  static bool is_of_type(const Json& value, const std::string& type) {
    return type == "string"   ? value.is_string()
           : type == "number" ? value.is_number()
           : type == "integer"
               ? value.is_number() && std::floor(value.get<double>()) == value.get<double>()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
           : type == "object"  ? value.is_object()
                               : value.is_array();
  }

  void append_alternatives(Rule rule, const Json& schema, const std::string& at) {
    const std::string keyword = schema.contains("anyOf")   ? "anyOf"
                                : schema.contains("oneOf") ? "oneOf"
                                                           : "allOf";
    refuse_beside(keyword, schema, at);
    const Json& parts = schema[keyword];
    check(parts.is_array() && !parts.empty(),
          "json schema: \"{}\" at {}: a list of at least one schema is expected", keyword, at);
    check(keyword != "allOf" || parts.size() == 1,
          "json schema: \"allOf\" of more than one schema at {} is not supported", at);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      call(rule, rule_of(parts[i], fmt::format("{}/{}/{}", at, keyword, i)));
    }
  }

  void append_types(Rule rule, const Json& schema, const std::string& at) {
    std::vector<std::string> types = types_of(schema, at);
    for (const auto& item : schema.items()) {
      if (!schema.contains("type") && types.empty()) {
        if (const std::string type = type_of_keyword(item.key()); !type.empty()) {
          types = {type};
        }
      }
    }
    if (types.empty()) {
      call(rule, rules_.value());
    }
    for (const std::string& type : types) {
      append_type(rule, type, schema, at);
    }
  }

  static std::vector<std::string> types_of(const Json& schema, const std::string& at) {
    static const std::array<std::string, 7> known{"string", "number", "integer", "boolean",
                                                  "null",   "object", "array"};
    std::vector<std::string> types;
    if (!schema.contains("type")) {
      return types;
    }
    const Json& type = schema["type"];
    for (const Json& each : type.is_array() ? type : Json::array({type})) {
      check(each.is_string() &&
                std::find(known.begin(), known.end(), each.get<std::string>()) != known.end(),
            "json schema: \"type\" at {}: {} is not one of {}", at, each.dump(),
            fmt::join(known, ", "));
      if (std::find(types.begin(), types.end(), each.get<std::string>()) == types.end()) {
        types.push_back(each.get<std::string>());
      }
    }
    check(!types.empty(), "json schema: \"type\" at {}: the list is empty", at);
    return types;
  }

  void append_type(Rule rule, const std::string& type, const Json& schema, const std::string& at) {
    const Node start = grammar_.start(rule);
    if (type == "object") {
      append_object_type(rule, schema, at);
    } else if (type == "array") {
      append_array_type(rule, schema, at);
    } else if (type == "string") {
      append_string_type(rule, schema, at);
    } else if (type == "number" || type == "integer") {
      append_number_type(rule, type, schema, at);
    } else {
      const std::vector<std::string_view> words =
          type == "null" ? std::vector<std::string_view>{"null"}
                         : std::vector<std::string_view>{"true", "false"};
      for (const std::string_view word : words) {
        grammar_.link(grammar_.append_text(start, word), grammar_.end(rule));
      }
    }
  }

  void append_object_type(Rule rule, const Json& schema, const std::string& at) {
    const Json properties = schema.value("properties", Json::object());
    const Json required = schema.value("required", Json::array());
    check(properties.is_object(), "json schema: \"properties\" at {} is not an object", at);
    check(required.is_array() && std::all_of(required.begin(), required.end(),
                                             [](const Json& name) { return name.is_string(); }),
          "json schema: \"required\" at {} is not a list of names", at);
    const auto required_names = required.get<std::set<std::string>>();
    const bool has_extra = schema.contains("additionalProperties");
    if (properties.empty() && required.empty() && !has_extra) {
      call(rule, rules_.object());
      return;
    }
    ObjectGrammar object;
    if (has_extra && schema["additionalProperties"] != false) {
      object.extra = rule_of(schema["additionalProperties"], at + "/additionalProperties");
    }
    std::set<std::string> known;
    for (const auto& item : properties.items()) {
      known.insert(item.key());
      check_name(item.key(), at);
      object.properties.push_back({item.key(),
                                   rule_of(item.value(), at + "/properties/" + item.key()),
                                   required_names.contains(item.key())});
    }
    for (const Json& each : required) {
      const std::string& name = each.get_ref<const std::string&>();
      if (known.insert(name).second) {
        check_name(name, at);
        check(!has_extra || object.extra,
              "json schema: at {} it cannot be met: \"{}\" is required and not allowed", at, name);
        object.properties.push_back({name, object.extra ? *object.extra : rules_.value(), true});
      }
    }
    grammar_.link(append_object(grammar_, rules_, grammar_.start(rule), object),
                  grammar_.end(rule));
  }

  static void check_name(const std::string& name, const std::string& at) {
    constexpr std::size_t kMostBytes = 512;
    check(name.size() <= kMostBytes,
          "json schema: the name of a property at {} has {} bytes; at most {} are supported", at,
          name.size(), kMostBytes);
  }

  // A count; -1: it is not given.
  static std::int64_t count_of(const Json& schema, const std::string& keyword,
                               const std::string& at) {
    if (!schema.contains(keyword)) {
      return -1;
    }
    constexpr double kMost = 100'000;
    const Json& value = schema[keyword];
    check(value.is_number() && value.get<double>() >= 0 &&
              std::floor(value.get<double>()) == value.get<double>(),
          "json schema: \"{}\" at {}: {} is not a count", keyword, at, value.dump());
    check(value.get<double>() <= kMost, "json schema: \"{}\" at {}: at most {} is supported",
          keyword, at, kMost);
    return static_cast<std::int64_t>(value.get<double>());
  }

  // "minimum" and "maximum" of a count: `most` is -1 where there is none.
  struct Counts {
    std::int64_t least, most;
  };
  static Counts counts_of(const Json& schema, const std::string& least, const std::string& most,
                          const std::string& at) {
    const Counts counts{std::max<std::int64_t>(count_of(schema, least, at), 0),
                        count_of(schema, most, at)};
    check(counts.most < 0 || counts.least <= counts.most,
          "json schema: at {} it cannot be met: \"{}\" {} is above \"{}\" {}", at, least,
          counts.least, most, counts.most);
    return counts;
  }

  void append_array_type(Rule rule, const Json& schema, const std::string& at) {
    const Counts counts = counts_of(schema, "minItems", "maxItems", at);
    ArrayGrammar array;
    array.least = counts.least;
    if (counts.most >= 0) {
      array.most = counts.most;
    }
    const Json first = schema.value("prefixItems", Json::array());
    check(first.is_array(), "json schema: \"prefixItems\" at {} is not a list of schemas", at);
    for (std::size_t i = 0; i < first.size(); ++i) {
      array.first.push_back(rule_of(first[i], fmt::format("{}/prefixItems/{}", at, i)));
    }
    if (!schema.contains("items")) {
      array.items = rules_.value();
    } else if (schema["items"] != false) {
      array.items = rule_of(schema["items"], at + "/items");
    }
    grammar_.link(append_array(grammar_, rules_, grammar_.start(rule), array), grammar_.end(rule));
  }

  void append_string_type(Rule rule, const Json& schema, const std::string& at) {
    const Counts counts = counts_of(schema, "minLength", "maxLength", at);
    const bool has_length = schema.contains("minLength") || schema.contains("maxLength");
    if (!schema.contains("pattern") && !has_length) {
      call(rule, rules_.string());
      return;
    }
    Node text = grammar_.append_text(grammar_.start(rule), "\"");
    if (schema.contains("pattern")) {
      check(!has_length,
            "json schema: \"pattern\" with \"minLength\" or \"maxLength\" at {} is not "
            "supported; write the length into the pattern",
            at);
      check(schema["pattern"].is_string(), "json schema: \"pattern\" at {} is not a text", at);
      text = append_regex(
          grammar_, text, schema["pattern"].get<std::string>(),
          {.match = RegexOptions::Match::search, .append = &JsonRules::append_in_string});
    } else {
      text = append_characters(text, counts);
    }
    grammar_.link(grammar_.append_text(text, "\""), grammar_.end(rule));
  }

  Node append_characters(Node from, const Counts& counts) {
    for (std::int64_t i = 0; i < counts.least; ++i) {
      from = grammar_.append_call(from, rules_.character());
    }
    const Node to = grammar_.add_node();
    if (counts.most < 0) {
      grammar_.link(from, to);
      grammar_.link(grammar_.append_call(to, rules_.character()), to);
      return to;
    }
    for (std::int64_t i = counts.least; i < counts.most; ++i) {
      grammar_.link(from, to);
      from = grammar_.append_call(from, rules_.character());
    }
    grammar_.link(from, to);
    return to;
  }

  void append_number_type(Rule rule, const std::string& type, const Json& schema,
                          const std::string& at) {
    NumberBounds bounds;
    bool is_bounded = false;
    for (const bool is_least : {true, false}) {
      for (const bool is_exclusive : {false, true}) {
        const std::string keyword = std::string(is_exclusive ? "exclusive" : "") +
                                    (is_exclusive ? (is_least ? "Minimum" : "Maximum")
                                                  : (is_least ? "minimum" : "maximum"));
        if (schema.contains(keyword)) {
          check(schema[keyword].is_number(), "json schema: \"{}\" at {} is not a number", keyword,
                at);
          is_bounded = true;
          tighten(bounds, schema[keyword].get<double>(), type,
                  fmt::format("{}\" at {}", keyword, at));
        }
      }
    }
    if (!is_bounded) {
      call(rule, type == "integer" ? rules_.integer() : rules_.number());
      return;
    }
    const auto regex = type == "integer" ? integer_range_regex(bounds) : number_range_regex(bounds);
    check(regex.has_value(), "json schema: at {} it cannot be met: no {} is within the bounds", at,
          type);
    grammar_.link(append_regex(grammar_, grammar_.start(rule), *regex), grammar_.end(rule));
  }

  static void tighten(NumberBounds& bounds, double value, const std::string& type,
                      const std::string& where) {
    const bool is_least = where.starts_with("min") || where.starts_with("exclusiveMin");
    bool is_excluded = where.starts_with("exclusive");
    const bool is_whole = std::floor(value) == value;
    check(is_whole || type == "integer",
          "json schema: \"{}: a bound with a fraction is not supported for numbers", where);
    if (!is_whole) {  // the integer within the bound
      value = is_least ? std::ceil(value) : std::floor(value);
      is_excluded = false;
    }
    constexpr double kLargest = 1e15;
    if (std::abs(value) > kLargest) {
      check(is_least == (value < 0), "json schema: \"{}: {} is not supported: too large", where,
            value);
      return;  // no written number is beyond it
    }
    const auto bound = static_cast<std::int64_t>(value);
    std::int64_t& current = is_least ? bounds.least : bounds.most;
    bool& excluded = is_least ? bounds.is_least_excluded : bounds.is_most_excluded;
    if (is_least ? bound > current : bound < current) {
      current = bound;
      excluded = is_excluded;
    } else if (bound == current) {
      excluded = excluded || is_excluded;
    }
  }

  void call(Rule rule, Rule called) {
    grammar_.link(grammar_.append_call(grammar_.start(rule), called), grammar_.end(rule));
  }

  Grammar& grammar_;
  JsonRules rules_;
  const Json& document_;
  std::map<std::string, Rule> referred_;
  int depth_ = 0;
};

}  // namespace

Grammar json_schema_grammar(const Json& schema) {
  Grammar grammar;
  SchemaCompiler compiler(grammar, schema);
  const Rule whole = compiler.rule_at("#", "#");
  const Node last = grammar.append_call(grammar.start(grammar.root()), whole);
  grammar.link(last, grammar.end(grammar.root()));
  grammar.finish("json schema");
  return grammar;
}

}  // namespace yona
