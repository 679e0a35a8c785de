// The values of a chat template: what Python has where Jinja runs. Lists and dictionaries are never
// changed once made, as in Jinja's immutable sandbox; a namespace is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/json.h"

namespace yona::jinja {

// An error of a template, or one that it raises itself by raise_exception().
class TemplateError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

// The longest text, in bytes.
inline constexpr std::size_t kMostText = std::size_t{8} << 20U;
// Throws TemplateError where the text would be longer than kMostText.
void append_bounded(std::string& text, std::string_view more);

class Value;
class Interpreter;
using List = std::vector<Value>;

struct Arguments;
struct Function {
  std::string name;
  std::function<Value(Interpreter&, const Arguments&)> call;
  int depth = 0;  // of a value that it holds
};

struct Namespace;
class Dict;

class Value {
 public:
  struct Undefined {
    std::string what;  // "'x' is undefined"
  };
  struct None {};
  struct Text {
    std::shared_ptr<const std::string> bytes;  // UTF-8
    bool is_markup = false;                    // of the filter `safe`
  };
  struct Tuple {
    std::shared_ptr<const List> items;
  };
  struct Generator {  // what Python makes while it is iterated: it has no length and no order
    std::shared_ptr<const List> items;
  };

  Value() = default;  // None
  explicit Value(bool value) : data_(value) {}
  explicit Value(std::int64_t value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(std::string text, bool is_markup = false)
      : data_(Text{std::make_shared<const std::string>(std::move(text)), is_markup}) {}
  explicit Value(const char* text) : Value(std::string(text)) {}
  // Containers throw TemplateError if they are nested too deeply: visiting or destroying a value
  // takes a stack frame for each level.
  explicit Value(List items);
  explicit Value(Dict items);
  explicit Value(std::shared_ptr<Namespace> space, int depth = 0);
  explicit Value(Function function);
  static Value undefined(std::string what);
  static Value tuple(List items);
  static Value generator(List items);
  // Throws TemplateError if it is nested too deeply.
  static Value from(const Json& json, int depth = 0);

  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  bool is_boolean() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }  // not a boolean
  bool is_real() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_integer() || is_real() || is_boolean(); }
  bool is_text() const { return std::holds_alternative<Text>(data_); }
  bool is_list() const { return std::holds_alternative<std::shared_ptr<const List>>(data_); }
  bool is_tuple() const { return std::holds_alternative<Tuple>(data_); }
  bool is_generator() const { return std::holds_alternative<Generator>(data_); }
  bool is_dict() const { return std::holds_alternative<std::shared_ptr<const Dict>>(data_); }
  bool is_namespace() const { return std::holds_alternative<std::shared_ptr<Namespace>>(data_); }
  bool is_function() const {
    return std::holds_alternative<std::shared_ptr<const Function>>(data_);
  }
  bool is_markup() const { return is_text() && std::get<Text>(data_).is_markup; }

  // Only for values of that kind.
  const std::string& text() const { return *std::get<Text>(data_).bytes; }
  const List& items() const;  // of a list, a tuple or a generator
  const Dict& dict() const { return *std::get<std::shared_ptr<const Dict>>(data_); }
  Namespace& name_space() const { return *std::get<std::shared_ptr<Namespace>>(data_); }
  const Function& function() const { return *std::get<std::shared_ptr<const Function>>(data_); }
  std::int64_t integer() const;  // of a boolean too; throws TemplateError for others
  double real() const;           // of any number; throws TemplateError for others
  const std::string& undefined_what() const { return std::get<Undefined>(data_).what; }

  // Levels of nested containers. The namespaces of a template do not count: the interpreter
  // empties them.
  int depth() const { return depth_; }
  bool is_true() const;
  const char* type_name() const;  // "list", "str" … as Python calls it
  std::string str() const;        // as str() has it
  std::string repr() const;       // as repr() has it

 private:
  std::variant<None, Undefined, bool, std::int64_t, double, Text, std::shared_ptr<const List>,
               Tuple, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
               std::shared_ptr<const Function>, Generator>
      data_;
  int depth_ = 0;
};

// In the order in which keys were first put.
class Dict {
 public:
  void set(Value key, Value value);
  const Value* find(const Value& key) const;
  const std::vector<std::pair<Value, Value>>& items() const { return items_; }

 private:
  std::vector<std::pair<Value, Value>> items_;
  std::unordered_map<std::string, std::size_t> text_keys_;
};

struct Namespace {
  std::unordered_map<std::string, Value> values{};
  bool may_change = true;  // a loop's may not: its depth is that of its first values
};

struct Arguments {
  std::vector<Value> positional{};
  std::vector<std::pair<std::string, Value>> named{};

  // The argument at a position or of a name; null: it is not given.
  const Value* find(std::size_t position, std::string_view name) const;
  const Value& need(std::size_t position, std::string_view name, std::string_view function) const;
};

// a == b; false if they cannot be compared. Both throw TemplateError for lists that hold the same
// list again and again, whose comparison would never end.
bool is_equal(const Value& a, const Value& b);
// a < b. Throws TemplateError where Python would.
bool is_less(const Value& a, const Value& b);

struct JsonFormat {
  bool ensure_ascii = false;
  int indent = -1;  // -1: one line
  std::string item_separator = ", ", key_separator = ": ";
  bool sort_keys = false;
};
// As Python's json.dumps.
std::string json_text(const Value& value, const JsonFormat& format);

}  // namespace yona::jinja
