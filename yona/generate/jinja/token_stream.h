// The tokens of a template, taken one after another by the parsers.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "yona/generate/jinja/lexer.h"
#include "yona/generate/jinja/value.h"

namespace yona::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    Token token = peek();
    at_ += at_ + 1 < tokens_.size() ? 1 : 0;
    return token;
  }
  int line() const { return peek().line; }

  bool is_sign(std::string_view sign) const { return peek().is(Token::Kind::sign, sign); }
  bool is_name(std::string_view name) const { return peek().is(Token::Kind::name, name); }
  bool take_sign(std::string_view sign) { return is_sign(sign) && (take(), true); }
  bool take_name(std::string_view name) { return is_name(name) && (take(), true); }

  void need_sign(std::string_view sign) {
    if (!take_sign(sign)) {
      refuse(fmt::format("'{}'", sign));
    }
  }
  std::string need_any_name() {
    if (peek().kind != Token::Kind::name) {
      refuse("a name");
    }
    return take().text;
  }
  void need(Token::Kind kind, std::string_view what) {
    if (peek().kind != kind) {
      refuse(what);
    }
    take();
  }
  [[noreturn]] void refuse(std::string_view expected) const {
    const Token& token = peek();
    fail<TemplateError>("chat template: line {}: {} is expected, not {}", token.line, expected,
                        token.text.empty() ? "the end of the tag" : "'" + token.text + "'");
  }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace yona::jinja
