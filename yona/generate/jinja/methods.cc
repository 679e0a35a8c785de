// The methods of Python's texts, lists and dictionaries that chat templates call. Those that change
// a list or a dictionary are refused, as by Jinja's immutable sandbox.
#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "yona/generate/jinja/functions.h"
#include "yona/generate/jinja/python_text.h"
#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

struct TextMethod {
  std::size_t most = 0;  // arguments
  Value (*call)(Interpreter&, const std::string& text, const Arguments&) = nullptr;
};

std::optional<std::string_view> optional_text(const Arguments& given, std::size_t position,
                                              std::string_view name) {
  const Value* value = given.find(position, name);
  if (value == nullptr || value->is_none()) {
    return std::nullopt;
  }
  return std::string_view(need_text(*value, name));
}

std::int64_t optional_count(const Arguments& given, std::size_t position, std::string_view name) {
  const Value* value = given.find(position, name);
  return value != nullptr ? std::max<std::int64_t>(value->integer(), -1) : -1;
}

Value list_of(Interpreter& run, std::vector<std::string> texts) {
  List items;
  run.spend(texts.size() * (sizeof(Value) + sizeof(std::string)));
  for (std::string& text : texts) {
    items.push_back(run.made(std::move(text)));
  }
  return Value(std::move(items));
}

Value split_method(Interpreter& run, const std::string& text, const Arguments& given,
                   decltype(&split) how) {
  const std::optional<std::string_view> separator = optional_text(given, 0, "sep");
  check<TemplateError>(!separator || !separator->empty(),
                       "chat template: split() with an empty separator");
  return list_of(run, how(text, separator, optional_count(given, 1, "maxsplit")));
}

// startswith and endswith take one text or a tuple of them.
bool any_end(const std::string& text, const Arguments& given, bool is_start) {
  const Value& ends = given.need(0, "prefix", is_start ? "startswith" : "endswith");
  const auto holds = [&](const Value& each) {
    const std::string& end = need_text(each, is_start ? "startswith" : "endswith");
    return is_start ? text.starts_with(end) : text.ends_with(end);
  };
  return ends.is_tuple() ? std::any_of(ends.items().begin(), ends.items().end(), holds)
                         : holds(ends);
}

// A position in bytes as one in characters.
Value character_position(const std::string& text, std::size_t at) {
  return Value(at == std::string::npos ? std::int64_t{-1} : length_of(Value(text.substr(0, at))));
}

std::int64_t count_of(std::string_view text, std::string_view part) {
  std::int64_t count = 0;
  for (std::size_t at = position_of(text, part); at != std::string_view::npos;
       at = position_of(text, part)) {
    text.remove_prefix(at + part.size());
    ++count;
  }
  return count;
}

Value join_texts(Interpreter& run, const std::string& separator, const Arguments& given) {
  std::string text;
  bool is_first = true;
  for (const Value& item : run.items_of(given.need(0, "iterable", "join"))) {
    append_bounded(text, is_first ? "" : separator);
    is_first = false;
    append_bounded(text, need_text(item, "join"));
  }
  return run.made(std::move(text));
}

// "{}", "{0}" and "{name}"; no format specifications.
Value format(Interpreter& run, const std::string& text, const Arguments& given) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    if (c != '{') {
      check<TemplateError>(c != '}', "chat template: format(): a '}}' without '{{'");
      out += c;
      continue;
    }
    const std::size_t end = text.find('}', i);
    check<TemplateError>(end != std::string::npos, "chat template: format(): a '{{' without '}}'");
    const std::string name = text.substr(i + 1, end - i - 1);
    check<TemplateError>(name.find_first_of(":!.[") == std::string::npos && name.size() < 64,
                         "chat template: format() with '{{{}}}' is not supported", name);
    const bool is_number = !name.empty() && name.size() < 10 &&
                           name.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t position = name.empty() ? next++ : is_number ? std::stoul(name) : SIZE_MAX;
    append_bounded(out, given.need(position, name, "format").str());
    i = end;
  }
  return run.made(std::move(out));
}

const std::unordered_map<std::string, TextMethod>& text_methods() {
  using Run = Interpreter&;
  using Text = const std::string&;
  using Given = const Arguments&;
  static const std::unordered_map<std::string, TextMethod> methods{
      {"strip",
       {1,
        [](Run run, Text t, Given g) {
          return run.made(std::string(stripped(t, optional_text(g, 0, "chars"))));
        }}},
      {"lstrip",
       {1,
        [](Run run, Text t, Given g) {
          return run.made(std::string(stripped_left(t, optional_text(g, 0, "chars"))));
        }}},
      {"rstrip",
       {1,
        [](Run run, Text t, Given g) {
          return run.made(std::string(stripped_right(t, optional_text(g, 0, "chars"))));
        }}},
      {"split", {2, [](Run run, Text t, Given g) { return split_method(run, t, g, &split); }}},
      {"rsplit",
       {2, [](Run run, Text t, Given g) { return split_method(run, t, g, &split_from_right); }}},
      {"splitlines", {0, [](Run run, Text t, Given) { return list_of(run, split_lines(t)); }}},
      {"startswith", {1, [](Run, Text t, Given g) { return Value(any_end(t, g, true)); }}},
      {"endswith", {1, [](Run, Text t, Given g) { return Value(any_end(t, g, false)); }}},
      {"replace",
       {3,
        [](Run run, Text t, Given g) {
          return run.made(replaced(t, need_text(g.need(0, "old", "replace"), "replace"),
                                   need_text(g.need(1, "new", "replace"), "replace"),
                                   optional_count(g, 2, "count")));
        }}},
      {"upper", {0, [](Run run, Text t, Given) { return run.made(upper(t)); }}},
      {"lower", {0, [](Run run, Text t, Given) { return run.made(lower(t)); }}},
      {"title", {0, [](Run run, Text t, Given) { return run.made(title(t)); }}},
      {"capitalize", {0, [](Run run, Text t, Given) { return run.made(capitalized(t)); }}},
      {"join", {1, [](Run run, Text t, Given g) { return join_texts(run, t, g); }}},
      {"format", {SIZE_MAX, [](Run run, Text t, Given g) { return format(run, t, g); }}},
      {"find",
       {1,
        [](Run, Text t, Given g) {
          return character_position(t, position_of(t, need_text(g.need(0, "sub", "find"), "find")));
        }}},
      {"rfind",
       {1,
        [](Run, Text t, Given g) {
          return character_position(
              t, last_position_of(t, need_text(g.need(0, "sub", "rfind"), "rfind")));
        }}},
      {"count",
       {1,
        [](Run, Text t, Given g) {
          const std::string& part = need_text(g.need(0, "sub", "count"), "count");
          return Value(part.empty() ? length_of(Value(t)) + 1 : count_of(t, part));
        }}},
      {"removeprefix",
       {1,
        [](Run run, Text t, Given g) {
          const std::string& part = need_text(g.need(0, "prefix", "removeprefix"), "removeprefix");
          return run.made(t.starts_with(part) ? t.substr(part.size()) : t);
        }}},
      {"removesuffix",
       {1,
        [](Run run, Text t, Given g) {
          const std::string& part = need_text(g.need(0, "suffix", "removesuffix"), "removesuffix");
          return run.made(t.ends_with(part) ? t.substr(0, t.size() - part.size()) : t);
        }}},
      {"isdigit", {0, [](Run, Text t, Given) { return Value(is_all(t, is_digit)); }}},
      {"isalpha", {0, [](Run, Text t, Given) { return Value(is_all(t, is_letter)); }}},
      {"isalnum", {0, [](Run, Text t, Given) { return Value(is_all(t, is_letter_or_number)); }}},
      {"isspace", {0, [](Run, Text t, Given) { return Value(!t.empty() && stripped(t).empty()); }}},
      {"isupper", {0, [](Run, Text t, Given) { return Value(upper(t) == t && lower(t) != t); }}},
      {"islower", {0, [](Run, Text t, Given) { return Value(lower(t) == t && upper(t) != t); }}},
  };
  return methods;
}

enum class Part { keys, values, pairs };
Value parts_of(const Dict& dict, Part part) {
  List items;
  for (const auto& [key, value] : dict.items()) {
    items.push_back(part == Part::keys     ? key
                    : part == Part::values ? value
                                           : Value::tuple({key, value}));
  }
  return Value(std::move(items));
}

std::optional<Value> dict_method(const Value& subject, const std::string& name) {
  const auto made = [&](auto call) {
    return Value(Function{name, std::move(call), subject.depth()});
  };
  if (name == "get") {
    return made([subject](Interpreter&, const Arguments& given) {
      const Value* value = subject.dict().find(given.need(0, "key", "get"));
      const Value* other = given.find(1, "default");
      return value != nullptr ? *value : other != nullptr ? *other : Value();
    });
  }
  if (name == "items" || name == "keys" || name == "values") {
    const Part part = name == "items" ? Part::pairs : name == "keys" ? Part::keys : Part::values;
    return made(
        [subject, part](Interpreter&, const Arguments&) { return parts_of(subject.dict(), part); });
  }
  if (name == "copy") {
    return made([subject](Interpreter&, const Arguments&) { return subject; });
  }
  return std::nullopt;
}

std::optional<Value> list_method(const Value& subject, const std::string& name) {
  if (name == "count" || name == "index") {
    return Value(Function{name,
                          [subject, name](Interpreter& run, const Arguments& given) {
                            const Value& wanted = given.need(0, "value", name);
                            std::int64_t count = 0;
                            for (std::size_t i = 0; i < subject.items().size(); ++i) {
                              run.check_time();
                              const bool is_it = is_equal(subject.items()[i], wanted);
                              if (is_it && name == "index") {
                                return Value(static_cast<std::int64_t>(i));
                              }
                              count += is_it ? 1 : 0;
                            }
                            check<TemplateError>(name == "count",
                                                 "chat template: index(): {} is not in the list",
                                                 wanted.repr());
                            return Value(count);
                          },
                          subject.depth()});
  }
  if (name == "copy") {
    return Value(Function{name, [subject](Interpreter&, const Arguments&) { return subject; },
                          subject.depth()});
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> method_of(const Value& subject, const std::string& name) {
  static constexpr std::array<const char*, 10> kChanging{"append", "extend",    "insert", "pop",
                                                         "remove", "clear",     "update", "popitem",
                                                         "sort",   "setdefault"};
  if ((subject.is_list() || subject.is_dict()) &&
      std::find(kChanging.begin(), kChanging.end(), name) != kChanging.end() &&
      (subject.is_list() || subject.dict().find(Value(name)) == nullptr)) {
    return Value(Function{name, [name](Interpreter&, const Arguments&) -> Value {
                            fail<TemplateError>(
                                "chat template: {}() changes a value, which is not allowed", name);
                          }});
  }
  if (subject.is_text()) {
    const auto found = text_methods().find(name);
    if (found != text_methods().end()) {
      return Value(Function{
          name, [name, subject, method = found->second](Interpreter& run, const Arguments& given) {
            check<TemplateError>(given.positional.size() + given.named.size() <= method.most,
                                 "chat template: {}() with more than {} arguments is not supported",
                                 name, method.most);
            return method.call(run, subject.text(), given);
          }});
    }
  }
  if (subject.is_dict()) {
    return dict_method(subject, name);
  }
  return subject.is_list() ? list_method(subject, name) : std::nullopt;
}

}  // namespace yona::jinja
