// A template as it was read: expressions, and statements that write text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yona/generate/jinja/value.h"

namespace yona::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind : std::uint8_t {
    constant,     // value
    variable,     // name
    list,         // parts
    tuple,        // parts
    dict,         // parts: key, value, key, value …
    attribute,    // parts[0].name
    item,         // parts[0][parts[1]]
    slice,        // parts[0][parts[1]:parts[2]:parts[3]]; null: not given
    call,         // parts[0](parts[1…], named)
    filter,       // parts[0] | name(parts[1…], named); parts[0] null: the text of a filter block
    test,         // parts[0] is name(parts[1…])
    unary,        // name: "-", "+" or "not"
    binary,       // parts[0] name parts[1]
    logical,      // name: "and" or "or"
    compare,      // parts[0] operators[0] parts[1] operators[1] …
    concat,       // parts, as text
    conditional,  // parts[0] if parts[1] else parts[2]; null: undefined
  };
  Kind kind = Kind::constant;
  int line = 0;
  std::string name{};
  Value value{};
  std::vector<ExpressionPtr> parts{};
  std::vector<std::pair<std::string, ExpressionPtr>> named{};
  std::vector<std::string> operators{};
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

// What is assigned to: names, or one attribute of a namespace.
struct Target {
  std::vector<std::string> names{};  // more than one: unpacked
  std::string attribute{};           // of the namespace names[0]
};

struct Statement {
  enum class Kind : std::uint8_t {
    data,          // text
    output,        // expression
    condition,     // branches: the first whose condition holds; a null condition always does
    loop,          // for target in expression if filter: body; otherwise
    set,           // target = expression
    set_block,     // target = the text of body, through the filters of expression unless null
    macro,         // text(parameters): body
    filter_block,  // the text of body through the filters of expression
    with,          // assignments around body
    group,         // body
    break_loop,
    continue_loop
  };
  struct Branch {
    ExpressionPtr condition;
    Body body;
  };
  Kind kind = Kind::data;
  int line = 0;
  std::string text{};
  ExpressionPtr expression{}, filter{};
  Target target{};
  std::vector<Branch> branches{};
  Body body{}, otherwise{};
  std::vector<std::pair<std::string, ExpressionPtr>> parameters{};  // with defaults, or null
};

}  // namespace yona::jinja
