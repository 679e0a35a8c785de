// The texts that an answer may be: a network of nodes joined by bytes, in rules that call each
// other, as regular expressions and JSON schemas are compiled to (Woods 1970, "Transition network
// grammars for natural language analysis"). A rule without calls is a finite automaton; a rule that
// calls itself describes nested text.
//
//   Grammar grammar;
//   grammar.append_text(grammar.start(grammar.root()), "yes");   // … link to the rule's end
//   grammar.finish("regex");
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yona/generate/character_set.h"

namespace yona {

class Grammar {
 public:
  using Node = std::int32_t;
  using Rule = std::int32_t;

  struct ByteEdge {
    std::uint8_t first, last;
    Node to;
  };
  struct Call {
    Rule rule;
    Node to;  // after the rule's text
  };
  struct NodeEdges {
    std::vector<ByteEdge> bytes{};
    std::vector<Node> empty{};
    std::vector<Call> calls{};
    bool is_end = false;  // of its rule; it has no edges
  };

  static constexpr std::size_t kMostNodes = 400'000;
  static constexpr std::size_t kMostEdges = 1'000'000;

  Grammar() { add_rule(); }

  Rule root() const { return 0; }
  Rule add_rule();
  Node start(Rule rule) const { return rules_[static_cast<std::size_t>(rule)].start; }
  Node end(Rule rule) const { return rules_[static_cast<std::size_t>(rule)].end; }

  // These and append_…() throw InvalidArgument beyond kMostNodes or kMostEdges.
  Node add_node();
  void link(Node from, Node to);
  // Each returns the node after what is appended to `from`.
  Node append_byte(Node from, std::uint8_t first, std::uint8_t last);
  Node append_text(Node from, std::string_view bytes);
  Node append_characters(Node from, const CharacterSet& set);  // one of them, in UTF-8
  Node append_call(Node from, Rule rule);

  // Removes what cannot be completed. Throws InvalidArgument, beginning with `name`, where no text
  // is left, or where a rule calls itself before any byte.
  void finish(std::string_view name);

  std::size_t size() const { return edges_.size(); }
  const NodeEdges& edges(Node node) const { return edges_[index(node)]; }

 private:
  struct RuleEnds {
    Node start, end;
  };

  static std::size_t index(Node node) { return static_cast<std::size_t>(node); }
  NodeEdges& with_another_edge(Node from);
  // The nodes from which the end of their rule can be reached, by any text or by the empty text.
  enum class Reach { by_any_text, by_empty_text };
  std::vector<char> nodes_that_reach_end(Reach reach) const;
  void remove_dead_edges(const std::vector<char>& alive);
  void refuse_left_recursion(std::string_view name) const;
  std::vector<Rule> rules_called_first(Rule rule, const std::vector<char>& is_nullable) const;

  std::vector<NodeEdges> edges_;
  std::size_t edge_count_ = 0;
  std::vector<RuleEnds> rules_;
};

}  // namespace yona
