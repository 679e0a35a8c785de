#include "yona/generate/jinja/expression_parser.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace yona::jinja {

using Kind = Expression::Kind;

// An expression within an expression: no deeper than the stack allows.
class ExpressionParser::Deeper {
 public:
  explicit Deeper(ExpressionParser& parser) : parser_(parser) {
    constexpr int kMostDepth = 100;
    check<TemplateError>(++parser_.depth_ <= kMostDepth,
                         "chat template: line {}: an expression is nested deeper than {}",
                         parser_.tokens_.line(), kMostDepth);
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  ExpressionParser& parser_;
};

ExpressionPtr ExpressionParser::make(Kind kind, std::string name) const {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = tokens_.line();
  expression->name = std::move(name);
  return expression;
}

void ExpressionParser::count_link() {
  constexpr int kMostLinks = 1000;
  check<TemplateError>(++links_ <= kMostLinks,
                       "chat template: line {}: an expression has more than {} operators",
                       tokens_.line(), kMostLinks);
}

ExpressionPtr ExpressionParser::parse_without_condition() {
  begin_links();
  return logical_or();
}

ExpressionPtr ExpressionParser::parse_tuple() {
  ExpressionPtr first = parse();
  if (!tokens_.is_sign(",")) {
    return first;
  }
  ExpressionPtr tuple = make(Kind::tuple);
  tuple->parts.push_back(std::move(first));
  while (tokens_.take_sign(",")) {
    const Token::Kind next = tokens_.peek().kind;
    if (next == Token::Kind::block_end || next == Token::Kind::variable_end ||
        tokens_.is_sign(")")) {
      break;
    }
    tuple->parts.push_back(parse());
  }
  return tuple;
}

ExpressionPtr ExpressionParser::conditional() {
  begin_links();
  const Deeper deeper(*this);
  ExpressionPtr value = logical_or();
  while (tokens_.take_name("if")) {
    count_link();
    ExpressionPtr choice = make(Kind::conditional);
    choice->parts.push_back(std::move(value));
    choice->parts.push_back(logical_or());
    choice->parts.push_back(tokens_.take_name("else") ? conditional() : nullptr);
    value = std::move(choice);
  }
  return value;
}

ExpressionPtr ExpressionParser::logical_or() {
  ExpressionPtr left = logical_and();
  while (tokens_.take_name("or")) {
    count_link();
    ExpressionPtr both = make(Kind::logical, "or");
    both->parts.push_back(std::move(left));
    both->parts.push_back(logical_and());
    left = std::move(both);
  }
  return left;
}

ExpressionPtr ExpressionParser::logical_and() {
  ExpressionPtr left = logical_not();
  while (tokens_.take_name("and")) {
    count_link();
    ExpressionPtr both = make(Kind::logical, "and");
    both->parts.push_back(std::move(left));
    both->parts.push_back(logical_not());
    left = std::move(both);
  }
  return left;
}

ExpressionPtr ExpressionParser::logical_not() {
  if (!tokens_.take_name("not")) {
    return compare();
  }
  const Deeper deeper(*this);
  ExpressionPtr negation = make(Kind::unary, "not");
  negation->parts.push_back(logical_not());
  return negation;
}

ExpressionPtr ExpressionParser::compare() {
  static constexpr std::array<std::string_view, 6> kOperators{"==", "!=", "<", ">", "<=", ">="};
  ExpressionPtr chain = make(Kind::compare);
  chain->parts.push_back(sum());
  while (true) {
    const auto is_next = [&](std::string_view sign) { return tokens_.is_sign(sign); };
    if (std::any_of(kOperators.begin(), kOperators.end(), is_next)) {
      chain->operators.push_back(tokens_.take().text);
    } else if (tokens_.take_name("in")) {
      chain->operators.emplace_back("in");
    } else if (tokens_.is_name("not") && tokens_.peek(1).is(Token::Kind::name, "in")) {
      tokens_.take();
      tokens_.take();
      chain->operators.emplace_back("not in");
    } else {
      break;
    }
    chain->parts.push_back(sum());
  }
  return chain->operators.empty() ? std::move(chain->parts[0]) : std::move(chain);
}

ExpressionPtr ExpressionParser::sum() {
  ExpressionPtr left = concat();
  while (tokens_.is_sign("+") || tokens_.is_sign("-")) {
    count_link();
    ExpressionPtr both = make(Kind::binary, tokens_.take().text);
    both->parts.push_back(std::move(left));
    both->parts.push_back(concat());
    left = std::move(both);
  }
  return left;
}

ExpressionPtr ExpressionParser::concat() {
  ExpressionPtr all = make(Kind::concat);
  all->parts.push_back(product());
  while (tokens_.take_sign("~")) {
    all->parts.push_back(product());
  }
  return all->parts.size() == 1 ? std::move(all->parts[0]) : std::move(all);
}

ExpressionPtr ExpressionParser::product() {
  ExpressionPtr left = power();
  while (tokens_.is_sign("*") || tokens_.is_sign("/") || tokens_.is_sign("//") ||
         tokens_.is_sign("%")) {
    count_link();
    ExpressionPtr both = make(Kind::binary, tokens_.take().text);
    both->parts.push_back(std::move(left));
    both->parts.push_back(power());
    left = std::move(both);
  }
  return left;
}

ExpressionPtr ExpressionParser::power() {
  ExpressionPtr left = unary(true);
  while (tokens_.take_sign("**")) {
    count_link();
    ExpressionPtr both = make(Kind::binary, "**");
    both->parts.push_back(std::move(left));
    both->parts.push_back(unary(true));
    left = std::move(both);
  }
  return left;
}

ExpressionPtr ExpressionParser::unary(bool takes_filters) {
  ExpressionPtr value;
  if (tokens_.is_sign("-") || tokens_.is_sign("+")) {
    const Deeper deeper(*this);
    value = make(Kind::unary, tokens_.take().text);
    value->parts.push_back(unary(false));
  } else {
    value = primary();
  }
  value = postfix(std::move(value));
  return takes_filters ? filters_and_tests(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::primary() {
  const Token& next = tokens_.peek();
  ExpressionPtr constant = make(Kind::constant);
  switch (next.kind) {
    case Token::Kind::name: {
      const std::string name = tokens_.take().text;
      if (name == "true" || name == "True" || name == "false" || name == "False") {
        constant->value = Value(name == "true" || name == "True");
        return constant;
      }
      if (name == "none" || name == "None") {
        return constant;
      }
      return make(Kind::variable, name);
    }
    case Token::Kind::text: {
      std::string text;
      while (tokens_.peek().kind == Token::Kind::text) {
        text += tokens_.take().text;
      }
      constant->value = Value(std::move(text));
      return constant;
    }
    case Token::Kind::integer:
      constant->value = Value(static_cast<std::int64_t>(std::stoll(tokens_.take().text)));
      return constant;
    case Token::Kind::real:
      constant->value = Value(std::strtod(tokens_.take().text.c_str(), nullptr));
      return constant;
    default:
      break;
  }
  if (tokens_.take_sign("(")) {
    return parenthesis();
  }
  if (tokens_.take_sign("[")) {
    return list();
  }
  if (tokens_.take_sign("{")) {
    return dict();
  }
  tokens_.refuse("an expression");
}

ExpressionPtr ExpressionParser::parenthesis() {
  if (tokens_.take_sign(")")) {
    return make(Kind::tuple);
  }
  ExpressionPtr inner = parse_tuple();
  tokens_.need_sign(")");
  return inner;
}

ExpressionPtr ExpressionParser::list() {
  ExpressionPtr all = make(Kind::list);
  while (!tokens_.take_sign("]")) {
    if (!all->parts.empty()) {
      tokens_.need_sign(",");
      if (tokens_.take_sign("]")) {
        break;
      }
    }
    all->parts.push_back(parse());
  }
  return all;
}

ExpressionPtr ExpressionParser::dict() {
  ExpressionPtr all = make(Kind::dict);
  while (!tokens_.take_sign("}")) {
    if (!all->parts.empty()) {
      tokens_.need_sign(",");
      if (tokens_.take_sign("}")) {
        break;
      }
    }
    all->parts.push_back(parse());
    tokens_.need_sign(":");
    all->parts.push_back(parse());
  }
  return all;
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr subject) {
  while (true) {
    if (tokens_.take_sign(".")) {
      ExpressionPtr attribute = make(Kind::attribute);
      if (tokens_.peek().kind == Token::Kind::integer) {
        attribute->kind = Kind::item;
        ExpressionPtr index = make(Kind::constant);
        index->value = Value(static_cast<std::int64_t>(std::stoll(tokens_.take().text)));
        attribute->parts.push_back(std::move(subject));
        attribute->parts.push_back(std::move(index));
      } else {
        attribute->name = tokens_.need_any_name();
        attribute->parts.push_back(std::move(subject));
      }
      subject = std::move(attribute);
    } else if (tokens_.take_sign("[")) {
      subject = subscript(std::move(subject));
    } else if (tokens_.is_sign("(")) {
      subject = call(std::move(subject));
    } else {
      return subject;
    }
    count_link();
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr subject) {
  ExpressionPtr item = make(Kind::item);
  item->parts.push_back(std::move(subject));
  const auto part = [&]() -> ExpressionPtr {
    return tokens_.is_sign(":") || tokens_.is_sign("]") ? nullptr : parse();
  };
  item->parts.push_back(part());
  if (tokens_.is_sign(":")) {
    item->kind = Kind::slice;
    for (int i = 0; i < 2; ++i) {
      item->parts.push_back(tokens_.take_sign(":") ? part() : nullptr);
    }
  } else if (item->parts[1] == nullptr) {
    tokens_.refuse("a subscript");
  }
  tokens_.need_sign("]");
  return item;
}

ExpressionPtr ExpressionParser::call(ExpressionPtr subject) {
  ExpressionPtr result = make(Kind::call);
  result->parts.push_back(std::move(subject));
  arguments(*result);
  return result;
}

void ExpressionParser::arguments(Expression& of) {
  tokens_.need_sign("(");
  for (bool is_first = true; !tokens_.take_sign(")"); is_first = false) {
    if (!is_first) {
      tokens_.need_sign(",");
      if (tokens_.take_sign(")")) {
        break;
      }
    }
    check<TemplateError>(!tokens_.is_sign("*") && !tokens_.is_sign("**"),
                         "chat template: line {}: arguments with '*' are not supported",
                         tokens_.line());
    if (tokens_.peek().kind == Token::Kind::name && tokens_.peek(1).is(Token::Kind::sign, "=")) {
      const std::string name = tokens_.take().text;
      tokens_.take();
      of.named.emplace_back(name, parse());
    } else {
      of.parts.push_back(parse());
    }
  }
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr subject) {
  ExpressionPtr result = make(Kind::filter, tokens_.need_any_name());
  result->parts.push_back(std::move(subject));
  if (tokens_.is_sign("(")) {
    arguments(*result);
  }
  return result;
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr subject) {
  begin_links();
  while (tokens_.take_sign("|")) {
    count_link();
    subject = filter(std::move(subject));
  }
  return subject;
}

ExpressionPtr ExpressionParser::filters_and_tests(ExpressionPtr subject) {
  while (true) {
    if (tokens_.take_sign("|")) {
      subject = filter(std::move(subject));
    } else if (tokens_.take_name("is")) {
      subject = test(std::move(subject));
    } else if (tokens_.is_sign("(")) {
      subject = call(std::move(subject));
    } else {
      return subject;
    }
    count_link();
  }
}

ExpressionPtr ExpressionParser::test(ExpressionPtr subject) {
  const bool is_negated = tokens_.take_name("not");
  ExpressionPtr result = make(Kind::test, tokens_.need_any_name());
  result->parts.push_back(std::move(subject));
  const Token& next = tokens_.peek();
  const bool is_value = next.kind == Token::Kind::text || next.kind == Token::Kind::integer ||
                        next.kind == Token::Kind::real || tokens_.is_sign("[") ||
                        tokens_.is_sign("{") ||
                        (next.kind == Token::Kind::name && next.text != "else" &&
                         next.text != "or" && next.text != "and" && next.text != "is" &&
                         next.text != "if" && next.text != "in" && next.text != "not");
  if (tokens_.is_sign("(")) {
    arguments(*result);
  } else if (is_value) {
    result->parts.push_back(postfix(primary()));
  }
  if (!is_negated) {
    return result;
  }
  ExpressionPtr negation = make(Kind::unary, "not");
  negation->parts.push_back(std::move(result));
  return negation;
}

}  // namespace yona::jinja
