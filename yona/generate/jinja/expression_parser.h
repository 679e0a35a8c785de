// Jinja's expressions, with jinja2's precedence.
#pragma once

#include "yona/generate/jinja/ast.h"
#include "yona/generate/jinja/token_stream.h"

namespace yona::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  // Throws TemplateError with the line.
  ExpressionPtr parse() { return conditional(); }
  ExpressionPtr parse_without_condition();  // after `for … in`
  ExpressionPtr parse_tuple();              // "a, b" is one
  // "| trim | …" onto an expression; null for the text of a block.
  ExpressionPtr parse_filters(ExpressionPtr subject);
  // The first filter of {% filter trim %}, without its '|'.
  ExpressionPtr parse_filter_name(ExpressionPtr subject) { return filter(std::move(subject)); }

 private:
  class Deeper;

  ExpressionPtr conditional();
  ExpressionPtr logical_or();
  ExpressionPtr logical_and();
  ExpressionPtr logical_not();
  ExpressionPtr compare();
  ExpressionPtr sum();
  ExpressionPtr concat();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr unary(bool takes_filters);
  ExpressionPtr primary();
  ExpressionPtr parenthesis();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr postfix(ExpressionPtr subject);
  ExpressionPtr subscript(ExpressionPtr subject);
  ExpressionPtr call(ExpressionPtr subject);
  void arguments(Expression& of);
  ExpressionPtr filter(ExpressionPtr subject);
  ExpressionPtr filters_and_tests(ExpressionPtr subject);
  ExpressionPtr test(ExpressionPtr subject);

  ExpressionPtr make(Expression::Kind kind, std::string name = "") const;

  // Counts operators, filters and attributes in a row, because each makes the tree deeper.
  void begin_links() { links_ = depth_ == 0 ? 0 : links_; }
  void count_link();

  TokenStream& tokens_;
  int depth_ = 0;
  int links_ = 0;  // of the outermost expression
};

}  // namespace yona::jinja
