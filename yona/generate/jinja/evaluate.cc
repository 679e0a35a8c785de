// Expressions, as Python computes them.
#include <cmath>

#include "yona/generate/jinja/functions.h"
#include "yona/generate/jinja/interpreter.h"
#include "yona/generate/jinja/python_text.h"
#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

std::string from_characters(const std::u32string& characters) {
  std::string out;
  for (const char32_t c : characters) {
    append_utf8(c, out);
  }
  return out;
}

constexpr std::size_t kTextBytes = 48;  // of memory for a short text

std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t power = 1;
  for (bool fits = true; exponent > 0; exponent /= 2) {
    check<TemplateError>(
        fits && (exponent % 2 == 0 || !__builtin_mul_overflow(power, base, &power)),
        "chat template: an integer is too large");
    fits = !__builtin_mul_overflow(base, base, &base);
  }
  return power;
}

double floor_division(double a, double b) { return std::floor(a / b); }

}  // namespace

Value Interpreter::part(const Expression& expression, std::size_t index) {
  return evaluate(*expression.parts[index]);
}

Value Interpreter::evaluate(const Expression& expression) {
  const Deeper deeper(*this);
  step(expression.line);
  using Kind = Expression::Kind;
  switch (expression.kind) {
    case Kind::constant:
      return expression.value;
    case Kind::variable:
      return variable(expression.name);
    case Kind::list:
    case Kind::tuple: {
      List items;
      for (const ExpressionPtr& each : expression.parts) {
        items.push_back(evaluate(*each));
      }
      return expression.kind == Kind::list ? Value(std::move(items))
                                           : Value::tuple(std::move(items));
    }
    case Kind::dict: {
      Dict dict;
      for (std::size_t i = 0; i < expression.parts.size(); i += 2) {
        Value key = part(expression, i);
        check_time();
        dict.set(std::move(key), part(expression, i + 1));
      }
      return Value(std::move(dict));
    }
    case Kind::attribute:
      return attribute(part(expression, 0), expression.name);
    case Kind::item: {
      const Value subject = part(expression, 0);
      return item(subject, part(expression, 1));
    }
    case Kind::slice:
      return slice(expression);
    case Kind::call: {
      const Value function = part(expression, 0);
      return call(function, arguments_of(expression));
    }
    case Kind::filter:
      return filtered(expression);
    case Kind::test: {
      const Value subject = part(expression, 0);
      return Value(apply_test(expression.name, subject, arguments_of(expression)));
    }
    case Kind::unary:
      return unary(expression);
    case Kind::binary:
      return binary(expression);
    case Kind::logical: {
      Value left = part(expression, 0);
      return left.is_true() == (expression.name == "or") ? left : part(expression, 1);
    }
    case Kind::compare:
      return compare_chain(expression);
    case Kind::concat: {
      std::string text;
      for (const ExpressionPtr& each : expression.parts) {
        append_bounded(text, evaluate(*each).str());
      }
      return made(std::move(text));
    }
    case Kind::conditional:
      if (part(expression, 1).is_true()) {
        return part(expression, 0);
      }
      return expression.parts[2] != nullptr
                 ? part(expression, 2)
                 : Value::undefined("the inline if-expression has no else");
  }
  return {};
}

Value Interpreter::variable(const std::string& name) const {
  const Value* value = find(name);
  return value != nullptr ? *value : Value::undefined(fmt::format("'{}' is undefined", name));
}

Arguments Interpreter::arguments_of(const Expression& expression) {
  Arguments arguments;
  for (std::size_t i = 1; i < expression.parts.size(); ++i) {
    arguments.positional.push_back(part(expression, i));
  }
  for (const auto& [name, value] : expression.named) {
    arguments.named.emplace_back(name, evaluate(*value));
  }
  return arguments;
}

Value Interpreter::filtered(const Expression& expression) {
  const Value subject =
      expression.parts[0] != nullptr ? part(expression, 0) : Value(std::move(block_text_));
  return apply_filter(expression.name, subject, arguments_of(expression));
}

Value Interpreter::apply_filter(const std::string& name, const Value& subject,
                                const Arguments& arguments) {
  const FilterFunction* const filter = find_filter(name);
  check<TemplateError>(filter != nullptr,
                       "chat template: line {}: the filter '{}' is not supported", line_, name);
  check_time();
  return (*filter)(*this, subject, arguments);
}

bool Interpreter::apply_test(const std::string& name, const Value& subject,
                             const Arguments& arguments) {
  const TestFunction* const test = find_test(name);
  check<TemplateError>(test != nullptr, "chat template: line {}: the test '{}' is not supported",
                       line_, name);
  check_time();
  return (*test)(*this, subject, arguments);
}

Value Interpreter::call(const Value& function, const Arguments& arguments) {
  check<TemplateError>(!function.is_undefined(), "chat template: line {}: {}", line_,
                       function.is_undefined() ? function.undefined_what() : "");
  check<TemplateError>(function.is_function(), "chat template: line {}: '{}' cannot be called",
                       line_, function.type_name());
  check_time();
  return function.function().call(*this, arguments);
}

// A method comes before a key of the same name.
Value Interpreter::attribute(const Value& subject, const std::string& name) {
  check<TemplateError>(!subject.is_undefined(), "chat template: line {}: {}", line_,
                       subject.is_undefined() ? subject.undefined_what() : "");
  if (subject.is_namespace()) {
    const auto found = subject.name_space().values.find(name);
    if (found != subject.name_space().values.end()) {
      return found->second;
    }
  } else if (std::optional<Value> method = method_of(subject, name)) {
    return std::move(*method);
  } else if (subject.is_dict()) {
    if (const Value* value = subject.dict().find(Value(name))) {
      return *value;
    }
  }
  return Value::undefined(
      fmt::format("'{} object' has no attribute '{}'", subject.type_name(), name));
}

Value Interpreter::item(const Value& subject, const Value& key) {
  check<TemplateError>(!subject.is_undefined(), "chat template: line {}: {}", line_,
                       subject.is_undefined() ? subject.undefined_what() : "");
  if (subject.is_dict()) {
    if (const Value* value = subject.dict().find(key)) {
      return *value;
    }
  } else if ((subject.is_list() || subject.is_tuple() || subject.is_text()) &&
             (key.is_integer() || key.is_boolean())) {
    const std::int64_t size = length_of(subject);
    const std::int64_t index = key.integer() < 0 ? key.integer() + size : key.integer();
    if (index < 0 || index >= size) {
      return Value::undefined(fmt::format("'{}' has no item {}", subject.type_name(), key.str()));
    }
    return subject.is_text()
               ? Value(from_characters({utf32_of(subject.text())[static_cast<std::size_t>(index)]}))
               : subject.items()[static_cast<std::size_t>(index)];
  }
  if (key.is_text()) {
    if (subject.is_namespace()) {
      return attribute(subject, key.text());
    }
    if (std::optional<Value> method = method_of(subject, key.text())) {
      return std::move(*method);
    }
  }
  return Value::undefined(
      fmt::format("'{} object' has no attribute '{}'", subject.type_name(), key.str()));
}

Value Interpreter::slice(const Expression& expression) {
  const Value subject = part(expression, 0);
  check<TemplateError>(subject.is_text() || subject.is_list() || subject.is_tuple(),
                       "chat template: line {}: '{}' cannot be sliced", line_, subject.type_name());
  const auto bound = [&](std::size_t index, std::int64_t standard) {
    const Value value = expression.parts[index] != nullptr ? part(expression, index) : Value();
    return value.is_none() ? standard : value.integer();
  };
  const std::u32string characters = subject.is_text() ? utf32_of(subject.text()) : U"";
  const auto size =
      subject.is_text() ? static_cast<std::int64_t>(characters.size()) : length_of(subject);
  const std::int64_t stride = bound(3, 1);
  check<TemplateError>(stride != 0, "chat template: line {}: the step of a slice is zero", line_);
  const auto within = [&](std::int64_t at) {
    at = at < 0 ? at + size : at;
    return std::clamp<std::int64_t>(at, stride > 0 ? 0 : -1, stride > 0 ? size : size - 1);
  };
  const bool has_end = expression.parts[2] != nullptr;
  const std::int64_t first = within(bound(1, stride > 0 ? 0 : size - 1));
  const std::int64_t unset = stride > 0 ? size : -1;
  const std::int64_t end_value = has_end ? bound(2, INT64_MAX) : INT64_MAX;
  const std::int64_t end = end_value == INT64_MAX ? unset : within(end_value);
  std::u32string text;
  List items;
  for (std::int64_t i = first; stride > 0 ? i < end : i > end;) {
    if (subject.is_text()) {
      text += characters[static_cast<std::size_t>(i)];
    } else {
      items.push_back(subject.items()[static_cast<std::size_t>(i)]);
    }
    if (__builtin_add_overflow(i, stride, &i)) {
      break;
    }
  }
  if (subject.is_text()) {
    return made(from_characters(text));
  }
  spend(items.size() * sizeof(Value));
  return subject.is_list() ? Value(std::move(items)) : Value::tuple(std::move(items));
}

Value Interpreter::unary(const Expression& expression) {
  const Value value = part(expression, 0);
  if (expression.name == "not") {
    return Value(!value.is_true());
  }
  const bool is_negative = expression.name == "-";
  return value.is_real() ? Value(is_negative ? -value.real() : value.real())
         : is_negative   ? Value(negated(value.integer()))
                         : Value(value.integer());
}

Value Interpreter::add(const Value& a, const Value& b) {
  if (a.is_text() && b.is_text()) {
    if (a.is_markup() || b.is_markup()) {
      return made((a.is_markup() ? a.text() : markup_escaped(a.text())) +
                      (b.is_markup() ? b.text() : markup_escaped(b.text())),
                  true);
    }
    return made(a.text() + b.text());
  }
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    List items = a.items();
    items.insert(items.end(), b.items().begin(), b.items().end());
    spend(items.size() * sizeof(Value));
    return a.is_list() ? Value(std::move(items)) : Value::tuple(std::move(items));
  }
  check<TemplateError>(a.is_number() && b.is_number(), "chat template: line {}: {}", line_,
                       a.is_undefined()   ? a.undefined_what()
                       : b.is_undefined() ? b.undefined_what()
                                          : fmt::format("'{}' and '{}' cannot be added",
                                                        a.type_name(), b.type_name()));
  if (a.is_real() || b.is_real()) {
    return Value(a.real() + b.real());
  }
  std::int64_t sum = 0;
  check<TemplateError>(!__builtin_add_overflow(a.integer(), b.integer(), &sum),
                       "chat template: line {}: an integer is too large", line_);
  return Value(sum);
}

Value Interpreter::multiply(const Value& a, const Value& b) {
  if (b.is_text() && !a.is_text()) {
    return multiply(b, a);
  }
  if (a.is_text()) {
    const std::int64_t count = std::max<std::int64_t>(b.integer(), 0);
    check<TemplateError>(
        count == 0 || a.text().size() <= options_.bounds.output / static_cast<std::size_t>(count),
        "chat template: line {}: a text is too long", line_);
    std::string text;
    for (std::int64_t i = 0; i < count && !a.text().empty(); ++i) {
      text += a.text();
    }
    return made(std::move(text));
  }
  if (a.is_real() || b.is_real()) {
    return Value(a.real() * b.real());
  }
  std::int64_t product = 0;
  check<TemplateError>(!__builtin_mul_overflow(a.integer(), b.integer(), &product),
                       "chat template: line {}: an integer is too large", line_);
  return Value(product);
}

Value Interpreter::binary(const Expression& expression) {
  const Value a = part(expression, 0);
  const Value b = part(expression, 1);
  const std::string& sign = expression.name;
  if (sign == "+") {
    return add(a, b);
  }
  if (sign == "*") {
    return multiply(a, b);
  }
  check<TemplateError>(sign != "%" || !a.is_text(),
                       "chat template: line {}: formatting with '%' is not supported", line_);
  const double x = a.real(), y = b.real();
  const bool is_real = a.is_real() || b.is_real();
  if (sign == "-") {
    std::int64_t difference = 0;
    check<TemplateError>(is_real || !__builtin_sub_overflow(a.integer(), b.integer(), &difference),
                         "chat template: line {}: an integer is too large", line_);
    return is_real ? Value(x - y) : Value(difference);
  }
  if (sign == "**") {
    return is_real || y < 0 ? Value(std::pow(x, y))
                            : Value(integer_power(a.integer(), b.integer()));
  }
  check<TemplateError>(y != 0, "chat template: line {}: division by zero", line_);
  if (sign == "/") {
    return Value(x / y);
  }
  if (is_real) {
    return Value(sign == "//" ? floor_division(x, y) : x - y * floor_division(x, y));
  }
  if (b.integer() == -1) {
    return sign == "//" ? multiply(a, b) : Value(std::int64_t{0});
  }
  const std::int64_t remainder = a.integer() % b.integer();
  const bool is_off = remainder != 0 && (remainder < 0) != (b.integer() < 0);
  return sign == "//" ? Value(a.integer() / b.integer() - (is_off ? 1 : 0))
                      : Value(remainder + (is_off ? b.integer() : 0));
}

bool Interpreter::contains(const Value& container, const Value& value) {
  if (container.is_text()) {
    return position_of(container.text(), need_text(value, "'in' with a text")) != std::string::npos;
  }
  if (container.is_dict()) {
    return container.dict().find(value) != nullptr;
  }
  const List items = items_of(container);
  return std::any_of(items.begin(), items.end(), [&](const Value& item) {
    check_time();
    return is_equal(item, value);
  });
}

bool Interpreter::compare(const std::string& sign, const Value& a, const Value& b) {
  if (sign == "==" || sign == "!=") {
    return is_equal(a, b) == (sign == "==");
  }
  if (sign == "in" || sign == "not in") {
    return contains(b, a) == (sign == "in");
  }
  if (sign == "<") {
    return is_less(a, b);
  }
  if (sign == ">") {
    return is_less(b, a);
  }
  return sign == "<=" ? !is_less(b, a) : !is_less(a, b);
}

Value Interpreter::compare_chain(const Expression& expression) {
  Value left = part(expression, 0);
  for (std::size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = part(expression, i + 1);
    if (!compare(expression.operators[i], left, right)) {
      return Value(false);
    }
    left = std::move(right);
  }
  return Value(true);
}

List Interpreter::items_of(const Value& value) {
  List items;
  if (value.is_undefined()) {
    return items;
  }
  if (value.is_text()) {
    spend(static_cast<std::size_t>(length_of(value)) * (sizeof(Value) + kTextBytes));
  }
  if (value.is_list() || value.is_tuple() || value.is_generator()) {
    items = value.items();
  } else if (value.is_dict()) {
    for (const auto& [key, each] : value.dict().items()) {
      items.push_back(key);
    }
  } else if (value.is_text()) {
    for (const char32_t c : utf32_of(value.text())) {
      std::string one;
      append_utf8(c, one);
      items.emplace_back(std::move(one));
    }
  } else {
    fail<TemplateError>("chat template: line {}: '{}' cannot be iterated", line_,
                        value.type_name());
  }
  spend(items.size() * sizeof(Value));
  return items;
}

}  // namespace yona::jinja
