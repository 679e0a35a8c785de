#include "yona/generate/jinja/functions.h"

#include <algorithm>
#include <ctime>

#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

Value make_namespace(Interpreter& interpreter, const Arguments& arguments) {
  auto space = std::make_shared<Namespace>();
  for (const Value& from : arguments.positional) {
    check<TemplateError>(from.is_dict(), "chat template: namespace() takes a dictionary or names");
    for (const auto& [key, value] : from.dict().items()) {
      space->values[key.str()] = value;
    }
  }
  for (const auto& [name, value] : arguments.named) {
    check<TemplateError>(!name.starts_with("_"),
                         "chat template: a namespace's attribute may not begin with '_'");
    space->values[name] = value;
  }
  return interpreter.made(std::move(space));
}

Value range(Interpreter& interpreter, const Arguments& arguments) {
  constexpr std::int64_t kMost = 100'000;  // as Jinja's sandbox has it
  const std::size_t count = arguments.positional.size();
  check<TemplateError>(count >= 1 && count <= 3 && arguments.named.empty(),
                       "chat template: range() takes 1 to 3 integers");
  const auto& given = arguments.positional;
  std::int64_t at = count == 1 ? 0 : given[0].integer();
  const std::int64_t end = given[count == 1 ? 0 : 1].integer();
  const std::int64_t stride = count == 3 ? given[2].integer() : 1;
  check<TemplateError>(stride != 0, "chat template: range() with a step of zero");
  List items;
  while (stride > 0 ? at < end : at > end) {
    check<TemplateError>(static_cast<std::int64_t>(items.size()) < kMost,
                         "chat template: range() of more than {} integers", kMost);
    items.emplace_back(at);
    if (__builtin_add_overflow(at, stride, &at)) {
      break;
    }
  }
  interpreter.spend(items.size() * sizeof(Value));
  return Value(std::move(items));
}

Value make_dict(Interpreter&, const Arguments& arguments) {
  Dict dict;
  for (const Value& from : arguments.positional) {
    check<TemplateError>(from.is_dict(), "chat template: dict() takes a dictionary or names");
    for (const auto& [key, value] : from.dict().items()) {
      dict.set(key, value);
    }
  }
  for (const auto& [name, value] : arguments.named) {
    dict.set(Value(name), value);
  }
  return Value(std::move(dict));
}

Value raise_exception(Interpreter&, const Arguments& arguments) {
  throw TemplateError("chat template: " + arguments.need(0, "message", "raise_exception").str());
}

Value strftime_now(Interpreter& interpreter, const Arguments& arguments) {
  const std::string format = need_text(arguments.need(0, "format", "strftime_now"), "strftime_now");
  const auto now =
      interpreter.options().now ? interpreter.options().now() : std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[256];
  check<TemplateError>(format.size() < 64, "chat template: strftime_now(): the format is too long");
  const std::size_t size = std::strftime(text, sizeof text, format.c_str(), &parts);
  return Value(std::string(text, size));
}

Value integer(std::size_t value) { return Value(static_cast<std::int64_t>(value)); }

}  // namespace

std::map<std::string, Value> global_functions() {
  return {{"namespace", Value(Function{"namespace", make_namespace})},
          {"range", Value(Function{"range", range})},
          {"dict", Value(Function{"dict", make_dict})},
          {"raise_exception", Value(Function{"raise_exception", raise_exception})},
          {"strftime_now", Value(Function{"strftime_now", strftime_now})}};
}

Value loop_variable(const List& items, std::size_t index) {
  auto loop = std::make_shared<Namespace>();
  loop->may_change = false;
  const std::size_t count = items.size();
  loop->values = {
      {"index", integer(index + 1)},
      {"index0", integer(index)},
      {"revindex", integer(count - index)},
      {"revindex0", integer(count - index - 1)},
      {"first", Value(index == 0)},
      {"last", Value(index + 1 == count)},
      {"length", integer(count)},
      {"depth", integer(1)},
      {"depth0", integer(0)},
      {"previtem", index > 0 ? items[index - 1] : Value::undefined("there is no previous item")},
      {"nextitem",
       index + 1 < count ? items[index + 1] : Value::undefined("there is no next item")},
      {"cycle", Value(Function{"cycle", [index](Interpreter&, const Arguments& given) {
                                 check<TemplateError>(!given.positional.empty(),
                                                      "chat template: cycle() of nothing");
                                 return given.positional[index % given.positional.size()];
                               }})}};
  const int before = index > 0 ? items[index - 1].depth() : 0;
  const int after = index + 1 < count ? items[index + 1].depth() : 0;
  return Value(std::move(loop), std::max(1, std::max(before, after)));
}

const std::string& need_text(const Value& value, std::string_view where) {
  check<TemplateError>(value.is_text(), "chat template: {} needs a text, not '{}'", where,
                       value.type_name());
  return value.text();
}

std::int64_t length_of(const Value& value) {
  if (value.is_text()) {
    std::int64_t count = 0;
    for (const char c : value.text()) {
      count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    }
    return count;
  }
  if (value.is_list() || value.is_tuple()) {
    return static_cast<std::int64_t>(value.items().size());
  }
  if (value.is_dict()) {
    return static_cast<std::int64_t>(value.dict().items().size());
  }
  check<TemplateError>(value.is_undefined(), "chat template: '{}' has no length",
                       value.type_name());
  return 0;
}

std::int64_t negated(std::int64_t value) {
  check<TemplateError>(value != INT64_MIN, "chat template: an integer is too large");
  return -value;
}

Value by_path(Interpreter& interpreter, const Value& subject, const std::string& path) {
  Value value = subject;
  interpreter.check_time();
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    const std::string name = path.substr(at, dot - at);
    const bool is_index = !name.empty() && name.size() < 10 &&
                          name.find_first_not_of("0123456789") == std::string::npos;
    value = interpreter.item(
        value, is_index ? Value(static_cast<std::int64_t>(std::stoll(name))) : Value(name));
    at = dot + 1;
  }
  return value;
}

}  // namespace yona::jinja
