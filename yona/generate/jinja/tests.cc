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
      {"upper", [](Run, const Value& v,
                   const Arguments&) { return !v.str().empty() && upper(v.str()) == v.str(); }},
      {"lower", [](Run, const Value& v,
                   const Arguments&) { return !v.str().empty() && lower(v.str()) == v.str(); }},
      {"equalto", [](Run, const Value& v, const Arguments& g) { return is_equal(v, other(g)); }},
      {"eq", [](Run, const Value& v, const Arguments& g) { return is_equal(v, other(g)); }},
      {"sameas",
       [](Run, const Value& v, const Arguments& g) {
         return std::string(v.type_name()) == other(g).type_name() && is_equal(v, other(g));
       }},
      {"ne", [](Run, const Value& v, const Arguments& g) { return !is_equal(v, other(g)); }},
      {"lt", [](Run, const Value& v, const Arguments& g) { return is_less(v, other(g)); }},
      {"lessthan", [](Run, const Value& v, const Arguments& g) { return is_less(v, other(g)); }},
      {"gt", [](Run, const Value& v, const Arguments& g) { return is_less(other(g), v); }},
      {"greaterthan", [](Run, const Value& v, const Arguments& g) { return is_less(other(g), v); }},
      {"le", [](Run, const Value& v, const Arguments& g) { return !is_less(other(g), v); }},
      {"ge", [](Run, const Value& v, const Arguments& g) { return !is_less(v, other(g)); }},
      {"in", [](Run run, const Value& v, const Arguments& g) { return run.contains(other(g), v); }},
  };
  const auto found = tests.find(name);
  return found == tests.end() ? nullptr : &found->second;
}

}  // namespace yona::jinja
