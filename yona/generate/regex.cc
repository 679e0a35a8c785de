#include "yona/generate/regex.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/generate/regex_class.h"

namespace yona {

namespace {

using Node = Grammar::Node;

// An expression as it was read. Repetitions copy their part, so the tree is needed.
struct Expression {
  enum class Kind { characters, sequence, alternatives, repeat };
  Kind kind = Kind::sequence;
  CharacterSet characters{};
  std::vector<Expression> parts{};
  std::int64_t least = 0, most = 0;  // of a repetition; most -1: any number
  bool is_anchored_before = false, is_anchored_after = false;  // of a sequence: '^', '$'
};

class RegexParser {
 public:
  explicit RegexParser(std::string_view pattern) : reader_(pattern) {}

  Expression parse() {
    Expression all = alternatives(0);
    if (!reader_.at_end()) {
      reader_.refuse("a ')' without '('");
    }
    return all;
  }

 private:
  static constexpr int kMostDepth = 200;

  Expression alternatives(int depth) {
    if (depth > kMostDepth) {
      reader_.refuse("a group within more than 200 groups");
    }
    Expression all{.kind = Expression::Kind::alternatives};
    do {
      all.parts.push_back(sequence(depth));
    } while (reader_.take("|"));
    return all;
  }

  Expression sequence(int depth) {
    Expression all{.kind = Expression::Kind::sequence};
    while (!reader_.at_end() && !reader_.next_is("|") && !reader_.next_is(")")) {
      if (reader_.take("^")) {
        refuse_unless(depth == 0 && all.parts.empty(), "'^' other than at the start");
        all.is_anchored_before = true;
      } else if (reader_.take("$")) {
        refuse_unless(depth == 0 && (reader_.at_end() || reader_.next_is("|")),
                      "'$' other than at the end");
        all.is_anchored_after = true;
      } else {
        all.parts.push_back(quantified(depth));
      }
    }
    return all;
  }

  Expression quantified(int depth) {
    Expression part = atom(depth);
    const std::optional<std::pair<std::int64_t, std::int64_t>> counts = quantifier();
    if (!counts) {
      return part;
    }
    refuse_unless(!reader_.next_is("+"), "a possessive quantifier");
    reader_.take("?");  // lazy: the same texts match
    refuse_unless(!quantifier(), "a quantifier after a quantifier");
    Expression repeat{.kind = Expression::Kind::repeat};
    repeat.least = counts->first;
    repeat.most = counts->second;
    repeat.parts.push_back(std::move(part));
    return repeat;
  }

  // "*", "+", "?", "{3}", "{3,}", "{,3}" or "{3,5}". Other braces are characters.
  std::optional<std::pair<std::int64_t, std::int64_t>> quantifier() {
    if (reader_.take("*")) {
      return {{0, -1}};
    }
    if (reader_.take("+")) {
      return {{1, -1}};
    }
    if (reader_.take("?")) {
      return {{0, 1}};
    }
    const std::size_t before = reader_.position();
    if (!reader_.take("{")) {
      return std::nullopt;
    }
    const std::int64_t least = reader_.take_count();
    std::int64_t most = least;
    if (reader_.take(",")) {
      most = reader_.take_count();
    }
    if (!reader_.take("}") || (least < 0 && most < 0)) {
      reader_.go_back_to(before);
      return std::nullopt;
    }
    refuse_unless(most < 0 || most >= least, "a repetition whose bounds descend");
    return {{std::max<std::int64_t>(least, 0), most}};
  }

  Expression atom(int depth) {
    if (reader_.take("(")) {
      return group(depth);
    }
    Expression one{.kind = Expression::Kind::characters};
    if (reader_.take("[")) {
      one.characters = read_class(reader_);
    } else if (reader_.take("\\")) {
      if (reader_.next_is("A") || reader_.next_is("Z") || reader_.next_is("z")) {
        reader_.refuse("the anchors \\A and \\Z");
      }
      one.characters = read_escape(reader_, false);
    } else if (reader_.take(".")) {
      one.characters = any_but_newline();
    } else {
      refuse_unless(!reader_.next_is("*") && !reader_.next_is("+") && !reader_.next_is("?"),
                    "a quantifier without what it repeats");
      const std::uint32_t c = reader_.take_character();
      one.characters.add(c, c);
    }
    return one;
  }

  Expression group(int depth) {
    if (reader_.take("?")) {
      refuse_unless(!reader_.next_is("=") && !reader_.next_is("!"), "look-ahead");
      refuse_unless(!reader_.next_is("<=") && !reader_.next_is("<!"), "look-behind");
      refuse_unless(!reader_.next_is(">"), "an atomic group");
      refuse_unless(!reader_.next_is("P=") && !reader_.next_is("("), "a back-reference");
      if (reader_.take("P<") || reader_.take("<")) {
        while (!reader_.at_end() && !reader_.take(">")) {
          reader_.take_character();
        }
      } else if (!reader_.take(":")) {
        reader_.refuse("a flag or another group that begins with '(?'");
      }
    }
    Expression inner = alternatives(depth + 1);
    refuse_unless(reader_.take(")"), "a '(' without ')'");
    return inner;
  }

  void refuse_unless(bool condition, std::string_view what) const {
    if (!condition) {
      reader_.refuse(what);
    }
  }

  RegexReader reader_;
};

class RegexCompiler {
 public:
  RegexCompiler(Grammar& grammar, const RegexOptions& options)
      : grammar_(grammar), options_(options) {}

  // The whole expression: each top-level alternative has its own anchors.
  Node append_all(Node from, const Expression& all) {
    const Node to = grammar_.add_node();
    for (const Expression& part : all.parts) {
      Node at = from;
      const bool is_search = options_.match == RegexOptions::Match::search;
      if (is_search && !part.is_anchored_before) {
        at = append_any(at);
      }
      at = append(at, part);
      if (is_search && !part.is_anchored_after) {
        at = append_any(at);
      }
      grammar_.link(at, to);
    }
    return to;
  }

 private:
  Node append(Node from, const Expression& part) {
    switch (part.kind) {
      case Expression::Kind::characters:
        return append_set(from, part.characters);
      case Expression::Kind::sequence:
        for (const Expression& each : part.parts) {
          from = append(from, each);
        }
        return from;
      case Expression::Kind::alternatives: {
        const Node to = grammar_.add_node();
        for (const Expression& each : part.parts) {
          grammar_.link(append(from, each), to);
        }
        return to;
      }
      case Expression::Kind::repeat:
        break;
    }
    return append_repeat(from, part);
  }

  Node append_repeat(Node from, const Expression& repeat) {
    for (std::int64_t i = 0; i < repeat.least; ++i) {
      from = append(from, repeat.parts[0]);
    }
    if (repeat.most < 0) {
      const Node loop = grammar_.add_node();
      const Node to = grammar_.add_node();
      grammar_.link(from, loop);
      grammar_.link(append(loop, repeat.parts[0]), loop);
      grammar_.link(loop, to);
      return to;
    }
    const Node to = grammar_.add_node();
    for (std::int64_t i = repeat.least; i < repeat.most; ++i) {
      grammar_.link(from, to);
      const Node next = grammar_.add_node();  // so that no part begins where another loops
      grammar_.link(from, next);
      from = append(next, repeat.parts[0]);
    }
    grammar_.link(from, to);
    return to;
  }

  Node append_any(Node from) {
    const Node loop = grammar_.add_node();
    const Node to = grammar_.add_node();
    grammar_.link(from, loop);
    grammar_.link(append_set(loop, CharacterSet::all()), loop);
    grammar_.link(loop, to);
    return to;
  }

  Node append_set(Node from, const CharacterSet& set) {
    return options_.append ? options_.append(grammar_, from, set)
                           : grammar_.append_characters(from, set);
  }

  Grammar& grammar_;
  const RegexOptions& options_;
};

}  // namespace

Grammar::Node append_regex(Grammar& grammar, Grammar::Node from, std::string_view pattern,
                           const RegexOptions& options) {
  constexpr std::size_t kMostBytes = 100'000;
  check(pattern.size() <= kMostBytes, "regular expression: it has {} bytes; at most {} are allowed",
        pattern.size(), kMostBytes);
  return RegexCompiler(grammar, options).append_all(from, RegexParser(pattern).parse());
}

Grammar regex_grammar(std::string_view pattern) {
  Grammar grammar;
  const Grammar::Node last = append_regex(grammar, grammar.start(grammar.root()), pattern);
  grammar.link(last, grammar.end(grammar.root()));
  grammar.finish("regular expression");
  return grammar;
}

}  // namespace yona
