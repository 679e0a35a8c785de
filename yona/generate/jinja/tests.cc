// The tests of Jinja: what may follow `is`.
#include <algorithm>
#include <unordered_map>

#include "yona/generate/jinja/functions.h"
#include "yona/generate/jinja/python_text.h"

namespace yona::jinja {

namespace {

using Run = Interpreter&;

const Value& other(const Arguments& given) { return given.need(0, "other", "a test"); }

bool is_sequence(const Value& value) {
  return value.is_text() || value.is_list() || value.is_tuple() || value.is_dict() ||
         value.is_undefined();
}

}  // namespace

const TestFunction* find_test(const std::string& name) {
  const auto is_same = [](Run, const Value& v, const Arguments& g) {
    return is_equal(v, other(g));
  };
  const auto is_other = [](Run, const Value& v, const Arguments& g) {
    return !is_equal(v, other(g));
  };
  const auto is_below = [](Run, const Value& v, const Arguments& g) {
    return is_less(v, other(g));
  };
  const auto is_above = [](Run, const Value& v, const Arguments& g) {
    return is_less(other(g), v);
  };
  const auto is_at_most = [](Run, const Value& v, const Arguments& g) {
    return !is_less(other(g), v);
  };
  const auto is_at_least = [](Run, const Value& v, const Arguments& g) {
    return !is_less(v, other(g));
  };
  static const std::unordered_map<std::string, TestFunction> tests{
      {"defined", [](Run, const Value& v, const Arguments&) { return !v.is_undefined(); }},
      {"undefined", [](Run, const Value& v, const Arguments&) { return v.is_undefined(); }},
      {"none", [](Run, const Value& v, const Arguments&) { return v.is_none(); }},
      {"string", [](Run, const Value& v, const Arguments&) { return v.is_text(); }},
      {"mapping", [](Run, const Value& v, const Arguments&) { return v.is_dict(); }},
      {"iterable",
       [](Run, const Value& v, const Arguments&) { return is_sequence(v) || v.is_generator(); }},
      {"sequence", [](Run, const Value& v, const Arguments&) { return is_sequence(v); }},
      {"number", [](Run, const Value& v, const Arguments&) { return v.is_number(); }},
      {"integer", [](Run, const Value& v, const Arguments&) { return v.is_integer(); }},
      {"float", [](Run, const Value& v, const Arguments&) { return v.is_real(); }},
      {"boolean", [](Run, const Value& v, const Arguments&) { return v.is_boolean(); }},
      {"true", [](Run, const Value& v, const Arguments&) { return v.is_boolean() && v.is_true(); }},
      {"false",
       [](Run, const Value& v, const Arguments&) { return v.is_boolean() && !v.is_true(); }},
      {"callable", [](Run, const Value& v, const Arguments&) { return v.is_function(); }},
      {"odd", [](Run, const Value& v, const Arguments&) { return v.integer() % 2 != 0; }},
      {"even", [](Run, const Value& v, const Arguments&) { return v.integer() % 2 == 0; }},
      {"divisibleby",
       [](Run, const Value& v, const Arguments& given) {
         const std::int64_t by = other(given).integer();
         check<TemplateError>(by != 0, "chat template: division by zero");
         return by == -1 || v.integer() % by == 0;
       }},
      {"upper",
       [](Run, const Value& v, const Arguments&) {
         return upper(v.str()) == v.str() && lower(v.str()) != v.str();
       }},
      {"lower",
       [](Run, const Value& v, const Arguments&) {
         return lower(v.str()) == v.str() && upper(v.str()) != v.str();
       }},
      {"equalto", is_same},
      {"eq", is_same},
      {"==", is_same},
      {"sameas",
       [](Run, const Value& v, const Arguments& g) {
         return std::string(v.type_name()) == other(g).type_name() && is_equal(v, other(g));
       }},
      {"ne", is_other},
      {"!=", is_other},
      {"lt", is_below},
      {"lessthan", is_below},
      {"<", is_below},
      {"gt", is_above},
      {"greaterthan", is_above},
      {">", is_above},
      {"le", is_at_most},
      {"<=", is_at_most},
      {"ge", is_at_least},
      {">=", is_at_least},
      {"in", [](Run run, const Value& v, const Arguments& g) { return run.contains(other(g), v); }},
  };
  const auto found = tests.find(name);
  return found == tests.end() ? nullptr : &found->second;
}

}  // namespace yona::jinja
