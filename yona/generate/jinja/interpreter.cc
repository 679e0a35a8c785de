#include "yona/generate/jinja/interpreter.h"

#include "yona/generate/jinja/functions.h"

namespace yona::jinja {

// A scope around what a loop or a macro does; text may be captured meanwhile.
class Interpreter::Inside {
 public:
  Inside(Interpreter& interpreter, Scope* outer)
      : interpreter_(interpreter), before_(interpreter.scope_), scope_{{}, outer} {
    interpreter_.scope_ = &scope_;
  }
  ~Inside() { interpreter_.scope_ = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Interpreter& interpreter_;
  Scope* before_;
  Scope scope_;
};

Interpreter::Interpreter(const RenderOptions& options)
    : options_(options), end_(std::chrono::steady_clock::now() + options.bounds.time) {}

Interpreter::~Interpreter() {
  for (const std::shared_ptr<Namespace>& space : namespaces_) {
    space->values.clear();
  }
}

std::string Interpreter::render(const Body& body, std::map<std::string, Value> variables) {
  variables.merge(global_functions());  // whose names a template's variables hide
  global_.variables = std::move(variables);
  std::string text;
  out_ = &text;
  run(body);
  return text;
}

void Interpreter::step(int line) {
  line_ = line;
  check<TemplateError>(++steps_ <= options_.bounds.steps,
                       "chat template: line {}: it takes more than {} steps", line,
                       options_.bounds.steps);
  constexpr std::int64_t kStepsBetween = 16;
  if (steps_ % kStepsBetween == 0) {
    check_time();
  }
}

void Interpreter::check_time() const {
  check<TemplateError>(std::chrono::steady_clock::now() <= end_,
                       "chat template: line {}: it takes longer than {} ms", line_,
                       options_.bounds.time.count());
}

void Interpreter::spend(std::size_t bytes) {
  bytes_ += bytes;
  check<TemplateError>(bytes_ <= options_.bounds.bytes,
                       "chat template: line {}: its texts have more than {} bytes", line_,
                       options_.bounds.bytes);
}

Value Interpreter::made(std::string text, bool is_markup) {
  check<TemplateError>(text.size() <= kMostText,
                       "chat template: line {}: a text has more than {} bytes", line_, kMostText);
  spend(text.size());
  return Value(std::move(text), is_markup);
}

Value Interpreter::made(std::shared_ptr<Namespace> space) {
  constexpr std::size_t kMapBytes = 128;
  spend(sizeof(Namespace) + kMapBytes);
  namespaces_.push_back(space);
  return Value(std::move(space));
}

void Interpreter::write(std::string_view text) {
  check<TemplateError>(out_->size() + text.size() <= options_.bounds.output,
                       "chat template: line {}: the text has more than {} bytes", line_,
                       options_.bounds.output);
  *out_ += text;
}

Interpreter::Flow Interpreter::run(const Body& body) {
  for (const auto& statement : body) {
    if (const Flow flow = run(*statement); flow != Flow::on) {
      return flow;
    }
  }
  return Flow::on;
}

Interpreter::Flow Interpreter::run_captured(const Body& body, std::string& text) {
  std::string* const before = out_;
  out_ = &text;
  const Flow flow = run(body);
  out_ = before;
  spend(text.size());
  return flow;
}

Interpreter::Flow Interpreter::run(const Statement& statement) {
  const Deeper deeper(*this);
  step(statement.line);
  switch (statement.kind) {
    case Statement::Kind::data:
      write(statement.text);
      return Flow::on;
    case Statement::Kind::output:
      write(evaluate(*statement.expression).str());
      return Flow::on;
    case Statement::Kind::condition:
      for (const Statement::Branch& branch : statement.branches) {
        if (branch.condition == nullptr || evaluate(*branch.condition).is_true()) {
          return run(branch.body);
        }
      }
      return Flow::on;
    case Statement::Kind::loop:
      return run_loop(statement);
    case Statement::Kind::set:
      assign(statement.target, evaluate(*statement.expression));
      return Flow::on;
    case Statement::Kind::set_block:
    case Statement::Kind::filter_block: {
      std::string text;
      {
        const Inside inside(*this, scope_);
        run_captured(statement.body, text);
      }
      Value value(text);
      if (statement.expression != nullptr) {
        block_text_ = std::move(text);
        value = evaluate(*statement.expression);
      }
      if (statement.kind == Statement::Kind::set_block) {
        assign(statement.target, std::move(value));
      } else {
        write(value.str());
      }
      return Flow::on;
    }
    case Statement::Kind::macro:
      define_macro(statement);
      return Flow::on;
    case Statement::Kind::with: {
      std::vector<Value> values;
      for (const auto& [name, expression] : statement.parameters) {
        values.push_back(evaluate(*expression));
      }
      const Inside inside(*this, scope_);
      for (std::size_t i = 0; i < values.size(); ++i) {
        scope_->variables[statement.parameters[i].first] = std::move(values[i]);
      }
      return run(statement.body);
    }
    case Statement::Kind::group: {
      const Inside inside(*this, scope_);
      return run(statement.body);
    }
    case Statement::Kind::break_loop:
      return Flow::break_loop;
    case Statement::Kind::continue_loop:
      return Flow::continue_loop;
  }
  return Flow::on;
}

Interpreter::Flow Interpreter::run_loop(const Statement& loop) {
  List items = items_of(evaluate(*loop.expression));
  if (loop.filter != nullptr) {
    List kept;
    for (const Value& item : items) {
      const Inside inside(*this, scope_);
      step(loop.line);
      assign_names(loop.target.names, item);
      if (evaluate(*loop.filter).is_true()) {
        kept.push_back(item);
      }
    }
    items = std::move(kept);
  }
  bool has_finished = false;  // a round: Jinja's else is for loops of which none has
  for (std::size_t i = 0; i < items.size(); ++i) {
    step(loop.line);
    const Inside inside(*this, scope_);
    scope_->variables["loop"] = loop_variable(items, i);
    assign_names(loop.target.names, items[i]);
    const Flow flow = run(loop.body);
    if (flow == Flow::break_loop) {
      break;
    }
    has_finished = has_finished || flow == Flow::on;
  }
  return has_finished ? Flow::on : run(loop.otherwise);
}

void Interpreter::define_macro(const Statement& macro) {
  scope_->variables[macro.text] =
      Value(Function{macro.text, [&macro](Interpreter& self, const Arguments& arguments) {
                       return self.call_macro(macro, arguments);
                     }});
}

Value Interpreter::call_macro(const Statement& macro, const Arguments& arguments) {
  constexpr int kMostDepth = 64;
  check<TemplateError>(depth_ < kMostDepth,
                       "chat template: line {}: macros call each other deeper than {}", line_,
                       kMostDepth);
  check<TemplateError>(arguments.positional.size() <= macro.parameters.size(),
                       "chat template: line {}: macro '{}' takes not more than {} arguments", line_,
                       macro.text, macro.parameters.size());
  for (const auto& [name, value] : arguments.named) {
    check_time();
    check<TemplateError>(
        std::any_of(macro.parameters.begin(), macro.parameters.end(),
                    [&given = name](const auto& parameter) { return parameter.first == given; }),
        "chat template: line {}: macro '{}' takes no argument '{}'", line_, macro.text, name);
  }
  std::string text;
  const Inside inside(*this, &global_);
  ++depth_;
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    check_time();
    const auto& [name, standard] = macro.parameters[i];
    const Value* given = arguments.find(i, name);
    scope_->variables[name] =
        given != nullptr ? *given
        : standard != nullptr
            ? evaluate(*standard)
            : Value::undefined(fmt::format("parameter '{}' was not provided", name));
  }
  run_captured(macro.body, text);
  --depth_;
  return Value(std::move(text));
}

void Interpreter::assign_names(const std::vector<std::string>& names, Value value) {
  if (names.size() == 1) {
    scope_->variables[names[0]] = std::move(value);
    return;
  }
  List items = items_of(value);
  check<TemplateError>(items.size() == names.size(),
                       "chat template: line {}: {} values for {} names", line_, items.size(),
                       names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    scope_->variables[names[i]] = std::move(items[i]);
  }
}

void Interpreter::assign(const Target& target, Value value) {
  if (target.attribute.empty()) {
    assign_names(target.names, std::move(value));
    return;
  }
  const Value* space = find(target.names[0]);
  check<TemplateError>(space != nullptr && space->is_namespace() && space->name_space().may_change,
                       "chat template: line {}: '{}' is not a namespace", line_, target.names[0]);
  check<TemplateError>(!target.attribute.starts_with("_"),
                       "chat template: line {}: a namespace's attribute may not begin with '_'",
                       line_);
  space->name_space().values[target.attribute] = std::move(value);
}

const Value* Interpreter::find(const std::string& name) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    const auto found = scope->variables.find(name);
    if (found != scope->variables.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

}  // namespace yona::jinja
