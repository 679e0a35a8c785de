#include "yona/generate/jinja/parser.h"

#include <algorithm>

#include "yona/generate/jinja/expression_parser.h"

namespace yona::jinja {

namespace {

using Kind = Statement::Kind;

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokens_of(source)), expressions_(tokens_) {}

  Body parse() {
    Body body = statements({});
    if (tokens_.peek().kind != Token::Kind::end) {
      fail<TemplateError>("chat template: line {}: '{}' has no beginning", tokens_.line(),
                          tokens_.peek(1).text);
    }
    return body;
  }

 private:
  static constexpr int kMostDepth = 100;

  // Up to a block that begins with one of `ends`, or to the end of the template. The block's "{%"
  // has not been taken.
  Body statements(const std::vector<std::string_view>& ends) {
    check<TemplateError>(++depth_ <= kMostDepth,
                         "chat template: line {}: blocks are nested deeper than {}", tokens_.line(),
                         kMostDepth);
    Body body;
    while (tokens_.peek().kind != Token::Kind::end && !is_at(ends)) {
      if (tokens_.peek().kind == Token::Kind::block_begin && is_stray()) {
        break;
      }
      body.push_back(statement());
    }
    --depth_;
    return body;
  }

  bool is_at(const std::vector<std::string_view>& ends) const {
    return tokens_.peek().kind == Token::Kind::block_begin &&
           std::find(ends.begin(), ends.end(), tokens_.peek(1).text) != ends.end();
  }
  // A block that ends or continues something else.
  bool is_stray() const {
    const std::string& name = tokens_.peek(1).text;
    return name.starts_with("end") || name == "else" || name == "elif";
  }

  std::unique_ptr<Statement> make(Kind kind) const {
    auto made = std::make_unique<Statement>();
    made->kind = kind;
    made->line = tokens_.line();
    return made;
  }

  void end_block() { tokens_.need(Token::Kind::block_end, "the end of the block"); }

  // "{% name %}"
  void need_block(std::string_view name, int line) {
    if (tokens_.peek().kind != Token::Kind::block_begin ||
        !tokens_.peek(1).is(Token::Kind::name, name)) {
      fail<TemplateError>("chat template: line {}: the block has no {}", line, name);
    }
    tokens_.take();
    tokens_.take();
    end_block();
  }

  std::unique_ptr<Statement> statement() {
    if (tokens_.peek().kind == Token::Kind::data) {
      auto data = make(Kind::data);
      data->text = tokens_.take().text;
      return data;
    }
    if (tokens_.peek().kind == Token::Kind::variable_begin) {
      auto output = make(Kind::output);
      tokens_.take();
      output->expression = expressions_.parse_tuple();
      tokens_.need(Token::Kind::variable_end, "'}}'");
      return output;
    }
    tokens_.need(Token::Kind::block_begin, "a block");
    return block(tokens_.need_any_name());
  }

  std::unique_ptr<Statement> block(const std::string& name) {
    if (name == "if") {
      return condition();
    }
    if (name == "for") {
      return loop();
    }
    if (name == "set") {
      return set();
    }
    if (name == "macro") {
      return macro();
    }
    if (name == "filter") {
      auto filter = make(Kind::filter_block);
      filter->expression = expressions_.parse_filters(expressions_.parse_filter_name(nullptr));
      end_block();
      filter->body = statements({"endfilter"});
      need_block("endfilter", filter->line);
      return filter;
    }
    if (name == "generation") {
      auto group = make(Kind::group);
      end_block();
      group->body = statements({"endgeneration"});
      need_block("endgeneration", group->line);
      return group;
    }
    if (name == "with") {
      return with();
    }
    if (name == "break" || name == "continue") {
      check<TemplateError>(loops_ > 0, "chat template: line {}: {} outside of a loop",
                           tokens_.line(), name);
      auto jump = make(name == "break" ? Kind::break_loop : Kind::continue_loop);
      end_block();
      return jump;
    }
    fail<TemplateError>("chat template: line {}: the block '{}' is not supported", tokens_.line(),
                        name);
  }

  std::unique_ptr<Statement> condition() {
    auto all = make(Kind::condition);
    Statement::Branch first{expressions_.parse_tuple(), {}};
    end_block();
    first.body = statements({"elif", "else", "endif"});
    all->branches.push_back(std::move(first));
    while (tokens_.peek().kind == Token::Kind::block_begin &&
           (tokens_.peek(1).text == "elif" || tokens_.peek(1).text == "else")) {
      tokens_.take();
      const bool is_else = tokens_.take().text == "else";
      Statement::Branch branch{is_else ? nullptr : expressions_.parse_tuple(), {}};
      end_block();
      branch.body = is_else ? statements({"endif"}) : statements({"elif", "else", "endif"});
      all->branches.push_back(std::move(branch));
    }
    need_block("endif", all->line);
    return all;
  }

  Target target() {
    Target target;
    const bool is_parenthesis = tokens_.take_sign("(");
    do {
      target.names.push_back(tokens_.need_any_name());
      if (target.names.size() == 1 && tokens_.take_sign(".")) {
        target.attribute = tokens_.need_any_name();
        return target;
      }
    } while (tokens_.take_sign(","));
    if (is_parenthesis) {
      tokens_.need_sign(")");
    }
    return target;
  }

  std::unique_ptr<Statement> loop() {
    auto all = make(Kind::loop);
    all->target = target();
    if (!all->target.attribute.empty() || !tokens_.take_name("in")) {
      tokens_.refuse("'in'");
    }
    all->expression = expressions_.parse_without_condition();
    if (tokens_.take_name("if")) {
      all->filter = expressions_.parse();
    }
    check<TemplateError>(!tokens_.is_name("recursive"),
                         "chat template: line {}: recursive loops are not supported",
                         tokens_.line());
    end_block();
    ++loops_;
    all->body = statements({"else", "endfor"});
    --loops_;
    if (tokens_.peek(1).text == "else" && tokens_.peek().kind == Token::Kind::block_begin) {
      tokens_.take();
      tokens_.take();
      end_block();
      all->otherwise = statements({"endfor"});
    }
    need_block("endfor", all->line);
    return all;
  }

  std::unique_ptr<Statement> set() {
    auto all = make(Kind::set);
    all->target = target();
    if (tokens_.take_sign("=")) {
      all->expression = expressions_.parse_tuple();
      end_block();
      return all;
    }
    all->kind = Kind::set_block;
    all->expression = expressions_.parse_filters(nullptr);
    end_block();
    all->body = statements({"endset"});
    need_block("endset", all->line);
    return all;
  }

  std::unique_ptr<Statement> macro() {
    auto all = make(Kind::macro);
    check<TemplateError>(loops_ == 0 && macros_ == 0,
                         "chat template: line {}: a macro within a loop or a macro is not "
                         "supported",
                         tokens_.line());
    all->text = tokens_.need_any_name();
    tokens_.need_sign("(");
    while (!tokens_.take_sign(")")) {
      if (!all->parameters.empty()) {
        tokens_.need_sign(",");
        if (tokens_.take_sign(")")) {
          break;
        }
      }
      std::string name = tokens_.need_any_name();
      all->parameters.emplace_back(std::move(name),
                                   tokens_.take_sign("=") ? expressions_.parse() : nullptr);
    }
    end_block();
    ++macros_;
    all->body = statements({"endmacro"});
    --macros_;
    need_block("endmacro", all->line);
    return all;
  }

  std::unique_ptr<Statement> with() {
    auto all = make(Kind::with);
    while (tokens_.peek().kind == Token::Kind::name) {
      std::string name = tokens_.take().text;
      tokens_.need_sign("=");
      all->parameters.emplace_back(std::move(name), expressions_.parse());
      if (!tokens_.take_sign(",")) {
        break;
      }
    }
    end_block();
    all->body = statements({"endwith"});
    need_block("endwith", all->line);
    return all;
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  int depth_ = 0, loops_ = 0, macros_ = 0;
};

}  // namespace

Body parse_template(std::string_view source) {
  constexpr std::size_t kMostBytes = 1 << 20;
  check<TemplateError>(source.size() <= kMostBytes,
                       "chat template: it has {} bytes; at most {} are supported", source.size(),
                       kMostBytes);
  return Parser(source).parse();
}

}  // namespace yona::jinja
