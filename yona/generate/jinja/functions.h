// What templates can call by name: functions, filters, tests and the methods of values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "yona/generate/jinja/interpreter.h"

namespace yona::jinja {

// namespace, range, dict, raise_exception, strftime_now.
std::map<std::string, Value> global_functions();
// `loop` of the i-th round.
Value loop_variable(const List& items, std::size_t index);
// A method of a text, list or dictionary; empty: it has none of that name.
std::optional<Value> method_of(const Value& subject, const std::string& name);

using FilterFunction = Value (*)(Interpreter&, const Value& subject, const Arguments&);
const FilterFunction* find_filter(const std::string& name);
using TestFunction = bool (*)(Interpreter&, const Value& subject, const Arguments&);
const TestFunction* find_test(const std::string& name);

// A value by a path of attributes, "function.name", as filters take it.
Value by_path(Interpreter& interpreter, const Value& subject, const std::string& path);
// Python's str() of what must be a text.
const std::string& need_text(const Value& value, std::string_view where);
std::int64_t length_of(const Value& value);
// Throws TemplateError for the smallest integer, which has no opposite.
std::int64_t negated(std::int64_t value);

}  // namespace yona::jinja
