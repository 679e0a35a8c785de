// The filters of Jinja that chat templates use.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "yona/generate/jinja/functions.h"
#include "yona/generate/jinja/python_text.h"

namespace yona::jinja {

namespace {

using Context = Interpreter&;

bool flag(const Arguments& given, std::size_t position, std::string_view name, bool standard) {
  const Value* value = given.find(position, name);
  return value != nullptr ? value->is_true() : standard;
}

Value trim(Context run, const Value& subject, const Arguments& given) {
  const Value* characters = given.find(0, "chars");
  const std::string text = subject.str();
  return run.made(std::string(characters != nullptr && !characters->is_none()
                                  ? stripped(text, std::string_view(need_text(*characters, "trim")))
                                  : stripped(text)));
}

Value tojson(Context run, const Value& subject, const Arguments& given) {
  JsonFormat format;
  format.ensure_ascii = flag(given, 0, "ensure_ascii", false);
  if (const Value* indent = given.find(1, "indent"); indent != nullptr && !indent->is_none()) {
    format.indent = static_cast<int>(std::clamp<std::int64_t>(indent->integer(), 0, 64));
    format.item_separator = ",";
  }
  if (const Value* both = given.find(2, "separators"); both != nullptr && !both->is_none()) {
    const List items = run.items_of(*both);
    check<TemplateError>(items.size() == 2, "chat template: tojson(): two separators are expected");
    format.item_separator = items[0].str();
    format.key_separator = items[1].str();
  }
  format.sort_keys = flag(given, 3, "sort_keys", false);
  return run.made(json_text(subject, format));
}

Value length(Context, const Value& subject, const Arguments&) { return Value(length_of(subject)); }

Value join(Context run, const Value& subject, const Arguments& given) {
  const Value* separator = given.find(0, "d");
  const Value* path = given.find(1, "attribute");
  std::string text;
  bool is_first = true;
  for (const Value& item : run.items_of(subject)) {
    if (!is_first && separator != nullptr) {
      append_bounded(text, separator->str());
    }
    is_first = false;
    append_bounded(text, (path != nullptr ? by_path(run, item, path->str()) : item).str());
  }
  return run.made(std::move(text));
}

Value standard(Context, const Value& subject, const Arguments& given) {
  const Value* other = given.find(0, "default_value");
  const bool is_missing =
      subject.is_undefined() || (flag(given, 1, "boolean", false) && !subject.is_true());
  return !is_missing ? subject : other != nullptr ? *other : Value("");
}

Value first(Context run, const Value& subject, const Arguments&) {
  const List items = run.items_of(subject);
  return items.empty() ? Value::undefined("a sequence is empty") : items.front();
}

Value last(Context run, const Value& subject, const Arguments&) {
  const List items = run.items_of(subject);
  return items.empty() ? Value::undefined("a sequence is empty") : items.back();
}

Value items(Context, const Value& subject, const Arguments&) {
  List pairs;
  if (!subject.is_undefined()) {
    check<TemplateError>(subject.is_dict(), "chat template: items of '{}' are not possible",
                         subject.type_name());
    for (const auto& [key, value] : subject.dict().items()) {
      pairs.push_back(Value::tuple({key, value}));
    }
  }
  return Value::generator(std::move(pairs));
}

// Of what is not true, none: so that `tools | map(…)` works without tools.
List items_if_any(Context run, const Value& subject) {
  return subject.is_true() ? run.items_of(subject) : List();
}

// select, reject, selectattr and rejectattr: `skipped` arguments come before the test's name.
Value chosen(Context run, const Value& subject, const Arguments& given, bool by_attribute,
             bool is_kept) {
  const std::size_t skipped = by_attribute ? 1 : 0;
  Arguments rest;
  const std::string path =
      by_attribute ? given.need(0, "attribute", "selectattr").str() : std::string();
  for (std::size_t i = skipped + 1; i < given.positional.size(); ++i) {
    rest.positional.push_back(given.positional[i]);
  }
  List kept;
  for (const Value& item : items_if_any(run, subject)) {
    const Value value = by_attribute ? by_path(run, item, path) : item;
    const bool holds = given.positional.size() > skipped
                           ? run.apply_test(given.positional[skipped].str(), value, rest)
                           : value.is_true();
    if (holds == is_kept) {
      kept.push_back(item);
    }
  }
  return Value::generator(std::move(kept));
}

Value select(Context run, const Value& subject, const Arguments& given) {
  return chosen(run, subject, given, false, true);
}
Value reject(Context run, const Value& subject, const Arguments& given) {
  return chosen(run, subject, given, false, false);
}
Value selectattr(Context run, const Value& subject, const Arguments& given) {
  return chosen(run, subject, given, true, true);
}
Value rejectattr(Context run, const Value& subject, const Arguments& given) {
  return chosen(run, subject, given, true, false);
}

Value map(Context run, const Value& subject, const Arguments& given) {
  const Value* path = given.find(SIZE_MAX, "attribute");
  const Value* other = given.find(SIZE_MAX, "default");
  List results;
  Arguments rest;
  if (path == nullptr) {
    given.need(0, "filter", "map");
    rest.positional.assign(given.positional.begin() + 1, given.positional.end());
    rest.named = given.named;
  }
  for (const Value& item : items_if_any(run, subject)) {
    Value result = path != nullptr
                       ? by_path(run, item, path->str())
                       : run.apply_filter(need_text(given.positional[0], "map"), item, rest);
    if (result.is_undefined() && other != nullptr) {
      result = *other;
    }
    results.push_back(std::move(result));
  }
  return Value::generator(std::move(results));
}

Value list(Context run, const Value& subject, const Arguments&) {
  return Value(run.items_of(subject));
}

Value string(Context run, const Value& subject, const Arguments&) {
  return subject.is_text() ? subject : run.made(subject.str());
}

Value replace(Context run, const Value& subject, const Arguments& given) {
  const Value* count = given.find(2, "count");
  return run.made(replaced(
      subject.str(), given.need(0, "old", "replace").str(), given.need(1, "new", "replace").str(),
      count != nullptr && !count->is_none() ? std::max<std::int64_t>(count->integer(), -1) : -1));
}

Value to_upper(Context run, const Value& subject, const Arguments&) {
  return run.made(upper(subject.str()));
}
Value to_lower(Context run, const Value& subject, const Arguments&) {
  return run.made(lower(subject.str()));
}
Value to_title(Context run, const Value& subject, const Arguments&) {
  return run.made(title_words(subject.str()));
}
Value capitalize(Context run, const Value& subject, const Arguments&) {
  return run.made(capitalized(subject.str()));
}

// A number in decimal, with white space around it, as Python reads it; none: it is not one.
std::optional<double> read_real(std::string_view text, bool takes_words) {
  const std::string digits(stripped(text));
  const std::string low = lower(digits);
  const bool is_decimal = low.find_first_not_of("0123456789+-.e") == std::string::npos;
  std::string_view word = low;
  word.remove_prefix(low.starts_with('+') || low.starts_with('-') ? 1 : 0);
  const bool is_word = word == "inf" || word == "infinity" || word == "nan";
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  const bool is_read = !digits.empty() && end == digits.c_str() + digits.size();
  return is_read && (is_decimal || (takes_words && is_word)) ? std::optional(value) : std::nullopt;
}

Value to_integer(Context, const Value& subject, const Arguments& given) {
  const Value* other = given.find(0, "default");
  const Value otherwise = other != nullptr ? *other : Value(std::int64_t{0});
  if (subject.is_integer() || subject.is_boolean()) {
    return Value(subject.integer());
  }
  if (subject.is_text()) {
    std::string_view digits = stripped(subject.text());
    digits.remove_prefix(digits.starts_with('+') ? 1 : 0);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end == digits.data() + digits.size() && !digits.empty()) {
      check<TemplateError>(error == std::errc(), "chat template: an integer is too large");
      return Value(value);
    }
  }
  const std::optional<double> real = subject.is_real()   ? subject.real()
                                     : subject.is_text() ? read_real(subject.text(), false)
                                                         : std::nullopt;
  if (!real || !std::isfinite(*real)) {
    return otherwise;
  }
  check<TemplateError>(std::abs(*real) < 0x1p63, "chat template: an integer is too large");
  return Value(static_cast<std::int64_t>(*real));
}

Value to_real(Context, const Value& subject, const Arguments& given) {
  const Value* other = given.find(0, "default");
  const std::optional<double> real = subject.is_number() ? subject.real()
                                     : subject.is_text() ? read_real(subject.text(), true)
                                                         : std::nullopt;
  return real ? Value(*real) : other != nullptr ? *other : Value(0.0);
}

Value absolute(Context, const Value& subject, const Arguments&) {
  if (subject.is_real()) {
    return Value(std::abs(subject.real()));
  }
  return Value(subject.integer() < 0 ? negated(subject.integer()) : subject.integer());
}

// The nearest number with that many decimals, by the exact value, as Python's round().
double rounded(double value, std::int64_t decimals) {
  if (decimals >= 0 && std::isfinite(value)) {
    return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
  }
  const double scale = std::pow(10.0, static_cast<double>(-decimals));
  return std::isfinite(scale) ? std::nearbyint(value / scale) * scale : 0.0 * value;
}

Value round(Context, const Value& subject, const Arguments& given) {
  const Value* precision = given.find(0, "precision");
  constexpr std::int64_t kMost = 400;  // no double has more
  const std::int64_t decimals =
      precision != nullptr ? std::clamp(precision->integer(), -kMost, kMost) : 0;
  const Value* method = given.find(1, "method");
  const std::string how = method != nullptr ? method->str() : "common";
  if (how == "ceil" || how == "floor") {
    const double scale = std::pow(10.0, static_cast<double>(decimals));
    const double scaled = subject.real() * scale;
    return Value((how == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
  }
  check<TemplateError>(how == "common", "chat template: round() with '{}' is not supported", how);
  if (subject.is_real()) {
    return Value(rounded(subject.real(), decimals));
  }
  const double whole = rounded(subject.real(), std::min<std::int64_t>(decimals, 0));
  check<TemplateError>(decimals >= 0 || std::abs(whole) < 0x1p63,
                       "chat template: an integer is too large");
  return Value(decimals >= 0 ? subject.integer() : static_cast<std::int64_t>(whole));
}

// What items are ordered by: texts without regard to case unless asked for.
Value sort_key(Context run, const Value& value, bool is_case_sensitive) {
  return value.is_text() && !is_case_sensitive ? run.made(lower(value.text())) : value;
}

void sort_by_keys(Context run, std::vector<std::pair<Value, Value>>& keyed, bool is_reversed) {
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    run.check_time();
    return is_reversed ? is_less(b.first, a.first) : is_less(a.first, b.first);
  });
}

Value sort(Context run, const Value& subject, const Arguments& given) {
  const bool is_case_sensitive = flag(given, 1, "case_sensitive", false);
  const Value* path = given.find(2, "attribute");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : run.items_of(subject)) {
    keyed.emplace_back(
        sort_key(run, path != nullptr && !path->is_none() ? by_path(run, item, path->str()) : item,
                 is_case_sensitive),
        item);
  }
  sort_by_keys(run, keyed, flag(given, 0, "reverse", false));
  List sorted;
  for (auto& [key, item] : keyed) {
    sorted.push_back(std::move(item));
  }
  return Value(std::move(sorted));
}

Value dictsort(Context run, const Value& subject, const Arguments& given) {
  check<TemplateError>(subject.is_dict(), "chat template: dictsort of '{}' is not possible",
                       subject.type_name());
  const bool is_case_sensitive = flag(given, 0, "case_sensitive", false);
  const Value* by = given.find(1, "by");
  const bool by_value = by != nullptr && by->str() == "value";
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, value] : subject.dict().items()) {
    keyed.emplace_back(sort_key(run, by_value ? value : key, is_case_sensitive),
                       Value::tuple({key, value}));
  }
  sort_by_keys(run, keyed, flag(given, 2, "reverse", false));
  List sorted;
  for (auto& [key, item] : keyed) {
    sorted.push_back(std::move(item));
  }
  return Value(std::move(sorted));
}

Value unique(Context run, const Value& subject, const Arguments& given) {
  const bool is_case_sensitive = flag(given, 0, "case_sensitive", false);
  const Value* path = given.find(1, "attribute");
  Dict seen;
  List kept;
  for (const Value& item : run.items_of(subject)) {
    run.check_time();
    Value key =
        sort_key(run, path != nullptr ? by_path(run, item, path->str()) : item, is_case_sensitive);
    if (seen.find(key) == nullptr) {
      seen.set(std::move(key), Value());
      kept.push_back(item);
    }
  }
  return Value::generator(std::move(kept));
}

Value extreme(Context run, const Value& subject, const Arguments& given, bool is_most) {
  const bool is_case_sensitive = flag(given, 0, "case_sensitive", false);
  const Value* path = given.find(1, "attribute");
  Value best = Value::undefined("a sequence is empty");
  Value best_key;
  bool is_first = true;
  for (const Value& item : run.items_of(subject)) {
    run.check_time();
    Value key =
        sort_key(run, path != nullptr ? by_path(run, item, path->str()) : item, is_case_sensitive);
    if (is_first || (is_most ? is_less(best_key, key) : is_less(key, best_key))) {
      best = item;
      best_key = std::move(key);
    }
    is_first = false;
  }
  return best;
}
Value least(Context run, const Value& subject, const Arguments& given) {
  return extreme(run, subject, given, false);
}
Value most(Context run, const Value& subject, const Arguments& given) {
  return extreme(run, subject, given, true);
}

Value sum(Context run, const Value& subject, const Arguments& given) {
  const Value* path = given.find(0, "attribute");
  const Value* start = given.find(1, "start");
  Value total = start != nullptr ? *start : Value(std::int64_t{0});
  for (const Value& item : run.items_of(subject)) {
    run.check_time();
    const bool has_path = path != nullptr && !path->is_none();
    total = run.add(total, has_path ? by_path(run, item, path->str()) : item);
  }
  return total;
}

Value reverse(Context run, const Value& subject, const Arguments&) {
  List reversed = run.items_of(subject);
  std::reverse(reversed.begin(), reversed.end());
  if (!subject.is_text()) {
    return Value::generator(std::move(reversed));
  }
  std::string text;
  for (const Value& character : reversed) {
    text += character.text();
  }
  return run.made(std::move(text));
}

Value safe(Context run, const Value& subject, const Arguments&) {
  return run.made(subject.str(), true);
}

Value escape(Context run, const Value& subject, const Arguments&) {
  return run.made(subject.is_markup() ? subject.text() : markup_escaped(subject.str()), true);
}

Value indent(Context run, const Value& subject, const Arguments& given) {
  const Value* width = given.find(0, "width");
  const bool is_first = flag(given, 1, "first", false), is_blank = flag(given, 2, "blank", false);
  const std::string space =
      width == nullptr ? "    "
      : width->is_text()
          ? width->text()
          : std::string(
                static_cast<std::size_t>(std::clamp<std::int64_t>(width->integer(), 0, 1000)), ' ');
  std::string text;
  const std::vector<std::string> lines = split_lines(subject.str() + "\n");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    append_bounded(text, i == 0 ? "" : "\n");
    if (i == 0 ? is_first : is_blank || !lines[i].empty()) {
      append_bounded(text, space);
    }
    append_bounded(text, lines[i]);
  }
  return run.made(std::move(text));
}

}  // namespace

const FilterFunction* find_filter(const std::string& name) {
  static const std::unordered_map<std::string, FilterFunction> filters{{"trim", trim},
                                                                       {"tojson", tojson},
                                                                       {"length", length},
                                                                       {"count", length},
                                                                       {"join", join},
                                                                       {"default", standard},
                                                                       {"d", standard},
                                                                       {"first", first},
                                                                       {"last", last},
                                                                       {"items", items},
                                                                       {"select", select},
                                                                       {"reject", reject},
                                                                       {"map", map},
                                                                       {"selectattr", selectattr},
                                                                       {"rejectattr", rejectattr},
                                                                       {"list", list},
                                                                       {"string", string},
                                                                       {"replace", replace},
                                                                       {"upper", to_upper},
                                                                       {"lower", to_lower},
                                                                       {"title", to_title},
                                                                       {"int", to_integer},
                                                                       {"capitalize", capitalize},
                                                                       {"float", to_real},
                                                                       {"abs", absolute},
                                                                       {"round", round},
                                                                       {"sort", sort},
                                                                       {"dictsort", dictsort},
                                                                       {"unique", unique},
                                                                       {"min", least},
                                                                       {"max", most},
                                                                       {"sum", sum},
                                                                       {"reverse", reverse},
                                                                       {"safe", safe},
                                                                       {"escape", escape},
                                                                       {"e", escape},
                                                                       {"indent", indent}};
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : &found->second;
}

}  // namespace yona::jinja
