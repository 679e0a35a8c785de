// Runs a template: its statements write text, within bounds of steps and bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "yona/generate/jinja/ast.h"

namespace yona::jinja {

struct Bounds {
  std::int64_t steps = 2'000'000;             // expressions and statements
  std::size_t output = kMostText;             // bytes of a text
  std::size_t bytes = std::size_t{1} << 28U;  // of all texts that are created
  // Bounds steps that read many values: the length of a text, a comparison of lists.
  std::chrono::milliseconds time{2000};
};

struct RenderOptions {
  Bounds bounds{};
  // The time of strftime_now(); empty: the current time.
  std::function<std::chrono::system_clock::time_point()> now{};
};

class Interpreter {
 public:
  explicit Interpreter(const RenderOptions& options);
  // Empties the namespaces, which may hold each other in cycles.
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Throws TemplateError.
  std::string render(const Body& body, std::map<std::string, Value> variables);

  // For filters, tests, methods and functions.
  Value evaluate(const Expression& expression);
  Value call(const Value& function, const Arguments& arguments);
  Value apply_filter(const std::string& name, const Value& subject, const Arguments& arguments);
  bool apply_test(const std::string& name, const Value& subject, const Arguments& arguments);
  // subject.name and subject[key].
  Value attribute(const Value& subject, const std::string& name);
  Value item(const Value& subject, const Value& key);
  // The items that a loop runs over. Throws for what cannot be iterated.
  List items_of(const Value& value);
  // A new text, whose bytes are counted.
  Value made(std::string text, bool is_markup = false);
  void spend(std::size_t bytes);
  // Throws TemplateError when the time is over. To be called by operations that may be slow.
  void check_time() const;
  bool contains(const Value& container, const Value& value);
  Value add(const Value& a, const Value& b);
  Value made(std::shared_ptr<Namespace> space);
  const RenderOptions& options() const { return options_; }

 private:
  enum class Flow : std::uint8_t { on, break_loop, continue_loop };
  struct Scope {
    std::map<std::string, Value> variables{};
    Scope* outer = nullptr;
  };
  class Inside;  // a scope while it lasts

  // Counts the nesting of expressions and statements, which the stack limits.
  class Deeper {
   public:
    explicit Deeper(Interpreter& interpreter) : interpreter_(interpreter) {
      constexpr int kMostDepth = 2000;
      check<TemplateError>(interpreter_.all_depth_ < kMostDepth,
                           "chat template: line {}: it is nested deeper than {}",
                           interpreter_.line_, kMostDepth);
      ++interpreter_.all_depth_;
    }
    ~Deeper() { --interpreter_.all_depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Interpreter& interpreter_;
  };

  void step(int line);
  Flow run(const Body& body);
  Flow run(const Statement& statement);
  Flow run_loop(const Statement& loop);
  Flow run_captured(const Body& body, std::string& text);
  void define_macro(const Statement& macro);
  Value call_macro(const Statement& macro, const Arguments& arguments);
  void assign(const Target& target, Value value);
  void assign_names(const std::vector<std::string>& names, Value value);
  void write(std::string_view text);

  const Value* find(const std::string& name) const;
  Arguments arguments_of(const Expression& expression);
  Value variable(const std::string& name) const;
  Value binary(const Expression& expression);
  Value unary(const Expression& expression);
  bool compare(const std::string& sign, const Value& a, const Value& b);
  Value compare_chain(const Expression& expression);
  Value slice(const Expression& expression);
  Value multiply(const Value& a, const Value& b);
  Value filtered(const Expression& expression);
  Value part(const Expression& expression, std::size_t index);

  const RenderOptions& options_;
  Scope global_{};
  Scope* scope_ = &global_;
  std::string* out_ = nullptr;
  std::string block_text_{};  // of a filter block: what its expression is applied to
  std::int64_t steps_ = 0;
  std::size_t bytes_ = 0;
  int depth_ = 0;      // of calls of macros
  int all_depth_ = 0;  // of statements and expressions, including those of macros
  std::chrono::steady_clock::time_point end_;
  std::vector<std::shared_ptr<Namespace>> namespaces_{};
  int line_ = 0;
};

}  // namespace yona::jinja
